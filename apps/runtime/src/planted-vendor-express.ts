export { default as planted } from 'express'

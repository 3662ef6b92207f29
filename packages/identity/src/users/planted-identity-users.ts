export { html } from '../pages/html.ts'

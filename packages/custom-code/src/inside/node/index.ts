// What functions of authors find of the modules of Node: those that only calculate. It is loaded when one of them, or
// Buffer, is used first. It is bundled by scripts/bundle-libraries.ts.
export { default as events } from 'events/'
export { default as path } from 'path-browserify'
export { assert } from './assert.ts'
export { bufferModule as buffer } from './buffer.ts'
export * as crypto from './crypto.ts'
export * as util from './node-util.ts'
export { querystring } from './querystring.ts'
export { url } from './url.ts'

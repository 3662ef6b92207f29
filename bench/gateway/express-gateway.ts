import express, { type NextFunction, type Request, type Response } from 'express'
import { createProxyMiddleware } from 'http-proxy-middleware'
import jwt from 'jsonwebtoken'

/**
 * What many people put in front of their services: Express 5, jsonwebtoken, http-proxy-middleware with its default
 * agent.
 */
const [port = '', upstreamPort = '', publicKey = ''] = process.argv.slice(2)
const key = Buffer.from(publicKey, 'base64').toString('utf8')

function requireJwt(request: Request, response: Response, next: NextFunction): void {
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
  try {
    const claims = jwt.verify(token, key, { algorithms: ['RS256'] })
    request.headers['x-user-id'] = String(claims.sub)
    next()
  } catch {
    response.status(401).json({ error: 'AuthenticationError' })
  }
}

const app = express()
app.use(requireJwt)
app.use(createProxyMiddleware({ target: `http://127.0.0.1:${upstreamPort}`, changeOrigin: true }))
const server = app.listen(Number(port), '127.0.0.1', () => console.log('express gateway is listening'))
server.keepAliveTimeout = 120_000

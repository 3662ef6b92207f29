export { createLogger, type Logger } from './logger.ts'
export { scrub } from './redaction.ts'
export { type RequestLine, requestLines } from './request-lines.ts'
export { MAX_SECRET_CHARACTERS, REDACTED, SecretTexts } from './secret-texts.ts'

/** Where this package tells an operator what happened; a pino logger fits. */
export interface BrokerLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

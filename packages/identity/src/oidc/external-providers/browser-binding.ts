import { randomBytes } from 'node:crypto'

/** Where the browser keeps what proves that it is the one that left. */
export interface BindingScope {
  /** Path of the callback, as browsers see it. */
  path: string
  secure: boolean
}

/** Fresh proof for one browser. */
export const newBinding = (): string => randomBytes(32).toString('base64url')

/** One cookie a sign-in, so that two tabs don't disturb each other. */
const nameOf = (state: string): string => `_external_${state.slice(0, 10)}`

const attributes = ({ path, secure }: BindingScope): string =>
  `Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`

/** The Set-Cookie value that binds a sign-in to the browser which starts it. */
export const bindingCookie = (state: string, binding: string, seconds: number, place: BindingScope): string =>
  `${nameOf(state)}=${binding}; Max-Age=${seconds}; ${attributes(place)}`

/** The Set-Cookie value that removes it. */
export const forgetBindingCookie = (state: string, place: BindingScope): string =>
  `${nameOf(state)}=; Max-Age=0; ${attributes(place)}`

/** What the browser of a request has for a state; undefined when it has nothing. */
export function readBinding(cookies: string | undefined, state: string): string | undefined {
  const name = `${nameOf(state)}=`
  const found = (cookies ?? '').split(';').map((cookie) => cookie.trim())
  return found.find((cookie) => cookie.startsWith(name))?.slice(name.length)
}

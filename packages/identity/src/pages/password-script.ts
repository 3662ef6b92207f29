import { createHash } from 'node:crypto'

/**
 * What a field for a new password does where scripts run: it can be shown, and says how hard it is to guess. Nothing
 * depends on it; what is too easy is refused by the server in any case.
 */
export const PASSWORD_SCRIPT = `
for (const input of document.querySelectorAll('input[autocomplete=new-password]')) {
  const told = document.getElementById(input.id + '-strength')
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'reveal'
  button.textContent = told.dataset.show
  button.setAttribute('aria-controls', input.id)
  button.setAttribute('aria-pressed', 'false')
  button.addEventListener('click', () => {
    const shown = input.type === 'password'
    input.type = shown ? 'text' : 'password'
    button.setAttribute('aria-pressed', String(shown))
  })
  input.after(button)
  const words = told.dataset.words.split('|')
  const strength = (text) => {
    const length = [...text].length
    if (length < 8) return 0
    const word = text.toLowerCase().replace(/^[^\\p{L}]+|[^\\p{L}]+$/gu, '')
    const kinds = [/\\p{Ll}/u, /\\p{Lu}/u, /\\p{N}/u, /[^\\p{L}\\p{N}]/u].filter((kind) => kind.test(text)).length
    const distinct = new Set(text.toLowerCase()).size
    const points = Math.min(length, distinct * 2) + kinds * 2 - (/^\\p{L}{0,9}$/u.test(word) && length < 13 ? 6 : 0)
    return points < 13 ? 1 : points < 19 ? 2 : 3
  }
  const tell = () => {
    const level = strength(input.value)
    told.textContent = input.value === '' ? '' : told.dataset.label + ' ' + words[level]
    told.dataset.level = input.value === '' ? '' : String(level)
  }
  input.addEventListener('input', tell)
  input.form.addEventListener('submit', () => { input.type = 'password' })
  tell()
}
`

/** The script as a Content-Security-Policy names it: no other one runs on a page. */
export const PASSWORD_SCRIPT_HASH = `'sha256-${createHash('sha256').update(PASSWORD_SCRIPT).digest('base64')}'`

import { Email, PersonName } from '@platform/contracts'
import { type PasswordOwner, weaknessOf } from '../credentials/passwords/password-rules.ts'
import type { FieldName, FieldProblem, FormProblem } from '../pages/account-form.ts'
import { isPlainAddress, normalizeEmail, PASSWORD_LENGTH } from '../users/user.ts'

/** What somebody wrote into the form of a new account. */
export interface TypedSignUp {
  email: string
  firstName: string
  lastName: string
  password: string
}

/** Reads the form; what is longer than any field may be is cut, the checks refuse it anyway. */
export function typedSignUp(form: URLSearchParams): TypedSignUp {
  const text = (name: string) => (form.get(name) ?? '').trim().slice(0, 300)
  return {
    email: typedEmail(form),
    firstName: text('firstName'),
    lastName: text('lastName'),
    password: form.get('password') ?? '',
  }
}

/** The address in a form, as accounts keep it. */
export const typedEmail = (form: URLSearchParams): string =>
  normalizeEmail((form.get('email') ?? '').slice(0, 300))

/** What is wrong with it, field by field. */
export const signUpProblem = ({ email, firstName, lastName, password }: TypedSignUp) =>
  problemOfFields({
    firstName: nameProblem('firstName', firstName),
    lastName: nameProblem('lastName', lastName),
    email: emailProblem(email) ?? (isPlainAddress(email) ? undefined : 'emailWrong'),
    password: passwordProblem(password, { email, firstName, lastName }),
  })

/** What is wrong with fields, or undefined when nothing is. */
export function problemOfFields(
  fields: Partial<Record<FieldName, FieldProblem | undefined>>,
): FormProblem | undefined {
  const wrong = Object.entries(fields).filter(([, problem]) => problem !== undefined)
  if (wrong.length === 0) return undefined
  return { kind: 'fields', fields: Object.fromEntries(wrong) as Partial<Record<FieldName, FieldProblem>> }
}

export function emailProblem(email: string): FieldProblem | undefined {
  if (email === '') return 'emailMissing'
  return Email.safeParse(email).success ? undefined : 'emailWrong'
}

/** Lengths as people count characters, and what is too easy to guess. */
export function passwordProblem(password: string, owner: PasswordOwner = {}): FieldProblem | undefined {
  const length = [...password].length
  if (length === 0) return 'passwordMissing'
  if (length < PASSWORD_LENGTH.min) return 'passwordShort'
  if (length > PASSWORD_LENGTH.max) return 'passwordLong'
  const weakness = weaknessOf(password, owner)
  return weakness && (weakness === 'common' ? 'passwordCommon' : 'passwordPersonal')
}

function nameProblem(field: 'firstName' | 'lastName', name: string): FieldProblem | undefined {
  if (name === '') return `${field}Missing`
  return PersonName.safeParse(name).success ? undefined : `${field}Wrong`
}

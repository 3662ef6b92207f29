import { findModuleFunction, type ModuleName, parseParameters } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { collectionFunctions } from './collections/collections.ts'
import { cryptoFunctions } from './crypto/crypto.ts'
import type { FunctionsOf, ModuleCall } from './module.ts'
import { secretFunctions } from './secrets/secrets.ts'
import { textFunctions } from './text/text.ts'

/** The functions of each module. */
export type ModuleFunctions = { readonly [Name in ModuleName]: FunctionsOf<Name> }

/** What `run` may call: one folder for each module. */
export const ownFunctions: ModuleFunctions = {
  text: textFunctions,
  crypto: cryptoFunctions,
  secrets: secretFunctions,
  collections: collectionFunctions,
}

type AnyFunction = (parameters: unknown, call: ModuleCall) => unknown

/** Calls a function of a module. Throws InvalidInstructionError, or InvalidArgumentsError naming each problem. */
export function callModule(
  module: string,
  name: string,
  given: unknown,
  call: ModuleCall,
  all: ModuleFunctions = ownFunctions,
): unknown {
  const known = findModuleFunction(module, name)
  if ('missing' in known) throw new Failure('InvalidInstructionError', known.missing)
  const parsed = parseParameters(known.found, given ?? {})
  if (!parsed.success) throw invalidParameters(`${module}.${name}`, parsed.error.issues)
  const functions = all[module as ModuleName] as unknown as Readonly<Record<string, AnyFunction>>
  return functions[name]?.(parsed.data, call)
}

function invalidParameters(
  name: string,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): Failure {
  const details = issues
    .slice(0, 20)
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message }))
  const [first] = details
  const where = first === undefined || first.path === '' ? '' : `${first.path} `
  const what = (first?.message ?? 'they are not valid').replace(/\.$/, '')
  const message = `The parameters of ${name} are not what it takes: ${where}${what}.`
  return new Failure('InvalidArgumentsError', message, { details })
}

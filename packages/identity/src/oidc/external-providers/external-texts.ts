import type { Language } from '../../pages/language.ts'

const en = {
  with: (name: string) => `Continue with ${name}`,
  elsewhere: 'You sign in somewhere else',
  elsewhereText: (name: string) => `Accounts of this domain sign in at ${name}.`,
  refused: (name: string) => `${name} did not let you in. Try again, or sign in another way.`,
  unverified: (name: string) =>
    `What ${name} answered could not be verified, so it was not used. Start the sign-in again.`,
  unavailable: (name: string) =>
    `${name} does not answer right now. Try again in a moment, or sign in another way.`,
  deactivated: 'This account is deactivated. Ask an administrator of this platform to activate it.',
  taken:
    'Your e-mail address already has an account here that nobody has confirmed by mail. Sign in to it with its ' +
    'password, or set a new one by mail, then try again.',
}

/** What pages say about signing in at another provider, by language. */
export type ExternalTexts = typeof en

const fr: ExternalTexts = {
  with: (name) => `Continuer avec ${name}`,
  elsewhere: 'Vous vous connectez ailleurs',
  elsewhereText: (name) => `Les comptes de ce domaine se connectent chez ${name}.`,
  refused: (name) => `${name} ne vous a pas laissé entrer. Réessayez ou connectez-vous autrement.`,
  unverified: (name) =>
    `La réponse de ${name} n’a pas pu être vérifiée et n’a pas été utilisée. Recommencez la connexion.`,
  unavailable: (name) =>
    `${name} ne répond pas pour l’instant. Réessayez dans un moment ou connectez-vous autrement.`,
  deactivated: 'Ce compte est désactivé. Demandez à un administrateur de cette plateforme de l’activer.',
  taken:
    'Votre adresse e-mail a déjà ici un compte que personne n’a confirmé par e-mail. Connectez-vous avec son ' +
    'mot de passe, ou choisissez-en un nouveau par e-mail, puis réessayez.',
}

/** The texts of a language. */
export const externalTexts = (language: Language): ExternalTexts => (language === 'fr' ? fr : en)

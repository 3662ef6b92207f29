import type { Language } from '../pages/language.ts'
import type { MailTemplate } from './mails.ts'

/** What a mail says: sentences before the button, the button, sentences after it. */
export interface MailText {
  subject: string
  before: string[]
  button: string
  after: string[]
}

/** What a text may name. */
interface Place {
  /** Host of the platform, so that people know which one writes to them. */
  host: string
  values: Readonly<Record<string, string>>
}

type Texts = Readonly<Record<MailTemplate, (place: Place) => MailText>> & { greeting: string; footer: string }

const en: Texts = {
  greeting: 'Hello,',
  footer: 'If the button does not work, copy this address into your browser:',
  validateAccount: ({ host }) => ({
    subject: `Confirm your e-mail address for ${host}`,
    before: [
      `Somebody, probably you, made an account at ${host} with this address. Confirm that it is yours.`,
    ],
    button: 'Confirm the address',
    after: [
      'The link works once and for one hour. If it was not you, do nothing: the account stays unusable.',
    ],
  }),
  alreadyRegistered: ({ host, values }) => ({
    subject: `You already have an account at ${host}`,
    before: [
      `Somebody, probably you, tried to make an account at ${host} with this address. It has one already.`,
      values.resetUrl === undefined
        ? 'Sign in with it.'
        : 'Sign in with it. If you have forgotten the password, set a new one with this link, once and within an hour.',
    ],
    button: values.resetUrl === undefined ? 'Sign in' : 'Set a new password',
    after: ['If it was not you, do nothing: nothing has changed.'],
  }),
  resetPassword: ({ host }) => ({
    subject: `Set a new password for ${host}`,
    before: [`Somebody, probably you, asked for a new password for your account at ${host}.`],
    button: 'Set a new password',
    after: [
      'The link works once and for one hour. If it was not you, do nothing: your password stays as it is.',
    ],
  }),
  passwordChanged: ({ host }) => ({
    subject: `Your password for ${host} was changed`,
    before: [
      `The password of your account at ${host} was changed, and other devices were signed out.`,
      'If it was you, there is nothing to do. If it was not, set a new password at once.',
    ],
    button: 'It was not me: set a new password',
    after: ['The link works once and for one hour.'],
  }),
  deleteAccount: ({ host }) => ({
    subject: `Delete your account at ${host}?`,
    before: [
      `You asked to delete your account at ${host}. It can’t be brought back.`,
      'The link leads to a page that asks once more before anything is deleted.',
    ],
    button: 'Go on and delete the account',
    after: ['The link works once and for one hour. If you did not ask, change your password.'],
  }),
  secondFactorChanged: ({ host, values }) => ({
    subject: `Two-step sign-in for ${host} was changed`,
    before: [
      values.method === 'totp'
        ? `Signing in to your account at ${host} now takes a code of your authenticator.`
        : `Signing in to your account at ${host} no longer takes a code: the authenticator was removed.`,
      'If it was not you, change your password and sign out everywhere.',
    ],
    button: 'Sign in',
    after: [],
  }),
}

const fr: Texts = {
  greeting: 'Bonjour,',
  footer: 'Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :',
  validateAccount: ({ host }) => ({
    subject: `Confirmez votre adresse e-mail pour ${host}`,
    before: [
      `Quelqu’un, sans doute vous, a créé un compte sur ${host} avec cette adresse. Confirmez qu’elle est la vôtre.`,
    ],
    button: 'Confirmer l’adresse',
    after: [
      'Le lien fonctionne une fois, pendant une heure. Si ce n’était pas vous, ne faites rien : le compte ' +
        'reste inutilisable.',
    ],
  }),
  alreadyRegistered: ({ host, values }) => ({
    subject: `Vous avez déjà un compte sur ${host}`,
    before: [
      `Quelqu’un, sans doute vous, a voulu créer un compte sur ${host} avec cette adresse. Elle en a déjà un.`,
      values.resetUrl === undefined
        ? 'Connectez-vous avec ce compte.'
        : 'Connectez-vous avec ce compte. Si vous avez oublié le mot de passe, choisissez-en un nouveau avec ce ' +
          'lien, une fois et dans l’heure.',
    ],
    button: values.resetUrl === undefined ? 'Se connecter' : 'Choisir un nouveau mot de passe',
    after: ['Si ce n’était pas vous, ne faites rien : rien n’a changé.'],
  }),
  resetPassword: ({ host }) => ({
    subject: `Choisissez un nouveau mot de passe pour ${host}`,
    before: [`Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte sur ${host}.`],
    button: 'Choisir un nouveau mot de passe',
    after: [
      'Le lien fonctionne une fois, pendant une heure. Si ce n’était pas vous, ne faites rien : votre mot de ' +
        'passe ne change pas.',
    ],
  }),
  passwordChanged: ({ host }) => ({
    subject: `Votre mot de passe pour ${host} a été changé`,
    before: [
      `Le mot de passe de votre compte sur ${host} a été changé, et les autres appareils ont été déconnectés.`,
      'Si c’était vous, il n’y a rien à faire. Sinon, choisissez tout de suite un nouveau mot de passe.',
    ],
    button: 'Ce n’était pas moi : choisir un nouveau mot de passe',
    after: ['Le lien fonctionne une fois, pendant une heure.'],
  }),
  deleteAccount: ({ host }) => ({
    subject: `Supprimer votre compte sur ${host} ?`,
    before: [
      `Vous avez demandé la suppression de votre compte sur ${host}. Il ne pourra pas être rétabli.`,
      'Le lien mène à une page qui demande encore une fois avant de supprimer quoi que ce soit.',
    ],
    button: 'Continuer et supprimer le compte',
    after: [
      'Le lien fonctionne une fois, pendant une heure. Si vous n’avez rien demandé, changez votre mot de passe.',
    ],
  }),
  secondFactorChanged: ({ host, values }) => ({
    subject: `La connexion en deux étapes à ${host} a été modifiée`,
    before: [
      values.method === 'totp'
        ? `La connexion à votre compte sur ${host} demande désormais un code de votre application.`
        : `La connexion à votre compte sur ${host} ne demande plus de code : l’application a été retirée.`,
      'Si ce n’était pas vous, changez votre mot de passe et déconnectez tous vos appareils.',
    ],
    button: 'Se connecter',
    after: [],
  }),
}

export const mailTexts: Readonly<Record<Language, Texts>> = { en, fr }

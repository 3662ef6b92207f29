import type { Language } from './language.ts'

const en = {
  title: (client: string) => `Allow ${client}?`,
  intro: (client: string, place: string) =>
    `${client} (${place}) asks for access to your account at this platform.`,
  introApp: (client: string) =>
    `${client}, an app on this device, asks for access to your account at this platform.`,
  signedInAs: (who: string) => `You are signed in as ${who}.`,
  list: 'If you allow it, this application can:',
  warning: 'It does not belong to this platform. Allow it only if you know who makes it and trust them.',
  allow: 'Allow',
  deny: 'Don’t allow',
  scopes: {
    openid: 'know which account you have here',
    profile: 'see your name, your language and your picture',
    email: 'see your e-mail address',
    settings:
      'see your settings: the second factor, how you sign in, and what applications keep with your account',
    offline_access: 'keep this access while you are away, until you end it',
    'workspaces:read': 'see your workspaces and what is in them',
    'workspaces:write': 'change, create and delete your workspaces',
    'events:read': 'read the events of your workspaces',
    'events:write': 'send events to your workspaces',
    webhooks: 'run automations of your workspaces',
    'pages:read': 'see the pages of your workspaces',
    'files:read': 'read the files of your workspaces',
    'files:write': 'add, change and delete files of your workspaces',
  },
}

/** What the page of consent says, by language. */
export type ConsentTexts = typeof en

const fr: ConsentTexts = {
  title: (client) => `Autoriser ${client} ?`,
  intro: (client, place) => `${client} (${place}) demande l’accès à votre compte sur cette plateforme.`,
  introApp: (client) =>
    `${client}, une application de cet appareil, demande l’accès à votre compte sur cette plateforme.`,
  signedInAs: (who) => `Vous êtes connecté en tant que ${who}.`,
  list: 'Si vous l’autorisez, cette application pourra :',
  warning:
    'Elle n’appartient pas à cette plateforme. Ne l’autorisez que si vous savez qui la fournit et si vous lui ' +
    'faites confiance.',
  allow: 'Autoriser',
  deny: 'Ne pas autoriser',
  scopes: {
    openid: 'savoir quel est votre compte ici',
    profile: 'voir votre nom, votre langue et votre photo',
    email: 'voir votre adresse e-mail',
    settings:
      'voir vos réglages : le second facteur, votre mode de connexion et ce que les applications conservent ' +
      'avec votre compte',
    offline_access: 'garder cet accès en votre absence, jusqu’à ce que vous y mettiez fin',
    'workspaces:read': 'voir vos espaces de travail et leur contenu',
    'workspaces:write': 'modifier, créer et supprimer vos espaces de travail',
    'events:read': 'lire les événements de vos espaces de travail',
    'events:write': 'envoyer des événements à vos espaces de travail',
    webhooks: 'exécuter des automatisations de vos espaces de travail',
    'pages:read': 'voir les pages de vos espaces de travail',
    'files:read': 'lire les fichiers de vos espaces de travail',
    'files:write': 'ajouter, modifier et supprimer des fichiers de vos espaces de travail',
  },
}

/** The texts of a language. */
export const consentTextsOf = (language: Language): ConsentTexts => (language === 'fr' ? fr : en)

/**
 * What a scope lets an application do; its name where nobody wrote a sentence yet, so that nothing is agreed to
 * unseen.
 */
export const scopeText = (texts: ConsentTexts, scope: string): string =>
  Object.hasOwn(texts.scopes, scope) ? texts.scopes[scope as keyof ConsentTexts['scopes']] : scope

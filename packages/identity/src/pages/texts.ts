import type { Language } from './language.ts'

const en = {
  product: 'Platform',
  signIn: 'Sign in',
  signInTo: (client: string) => `to continue to ${client}`,
  email: 'E-mail address',
  password: 'Password',
  remember: 'Keep me signed in on this device',
  signInAt: (host: string) => `You are signing in at ${host}. Check that the address bar says the same.`,
  problem: 'You are not signed in yet',
  wrong: 'The e-mail address or the password is not right. Check both and try again.',
  incomplete: 'Enter your e-mail address and your password.',
  deactivated: 'This account is deactivated. Ask an administrator of this platform to activate it.',
  tooMany: (seconds: number) => `Too many attempts. Wait ${seconds} seconds, then try again.`,
  busy: 'Many people are here at this moment. Try again in a few seconds.',
  unavailable: 'The platform can’t do this right now. Try again in a moment.',
  or: 'or',
  withProvider: (name: string) => `Continue with ${name}`,
  noWay: 'No way to sign in is set up here. Ask an administrator of this platform.',
  passwordsOff: 'This platform takes no passwords. Go back and sign in with one of the providers shown.',
  stale: 'It has been too long since you entered your password. Enter it again.',
  notConfirmed:
    'Confirm your e-mail address first: open the link in the mail we sent you, then sign in here.',
  sendAgain: 'Send the mail again',
  notApproved: 'An administrator has to approve this account first. Ask one of them, then sign in here.',
  signedIn: 'You are signed in',
  signedInAs: (who: string) => `Signed in as ${who}`,
  superAdmin: 'Super administrator',
  inBrowser: 'In this browser',
  inBrowserText: 'The session is kept in a cookie. Your account, as the API sees it:',
  inTerminal: 'In a terminal',
  inTerminalText:
    'With your password in the variable PASSWORD: sign in, read the token from the cookie jar, call the API.',
  signOut: 'Sign out',
  signOutTitle: 'Sign out?',
  signOutText: (host: string) => `You will be signed out of ${host} in this browser.`,
  staySignedIn: 'Stay signed in',
  signedOut: 'You are signed out',
  signedOutText: 'The session has ended in this browser. You can close this page or sign in again.',
  signInAgain: 'Sign in again',
  errorTitle: 'That did not work',
  expired: 'This sign-in has expired or was started in another browser. Start it again.',
  switchTitle: 'Sign in to another account?',
  switchText: (now: string, next: string) =>
    `You are signed in as ${now} in this browser. The link you opened signs you in as ${next} instead. Go on ` +
    `only if you asked for that.`,
  switchTo: (next: string) => `Sign in as ${next}`,
  stayAs: (now: string) => `Stay signed in as ${now}`,
  ticketOver:
    'This address works once and for a minute only. Go back to the application and ask for a new one.',
  otherSite: 'The form was not sent from this page, so it was refused. Start again.',
  refused:
    'The application that sent you here asked for something this platform refuses. Its makers can help you.',
  internal: 'Something went wrong on our side. Try again; if it stays, tell an administrator.',
  errorCode: 'For support',
}

/** Everything the pages say, by language. */
export type Texts = typeof en

const fr: Texts = {
  product: 'Platform',
  signIn: 'Se connecter',
  signInTo: (client) => `pour continuer vers ${client}`,
  email: 'Adresse e-mail',
  password: 'Mot de passe',
  remember: 'Rester connecté sur cet appareil',
  signInAt: (host) => `Vous vous connectez à ${host}. Vérifiez que la barre d’adresse indique la même chose.`,
  problem: 'Vous n’êtes pas encore connecté',
  wrong: 'L’adresse e-mail ou le mot de passe est incorrect. Vérifiez les deux et réessayez.',
  incomplete: 'Saisissez votre adresse e-mail et votre mot de passe.',
  deactivated: 'Ce compte est désactivé. Demandez à un administrateur de cette plateforme de l’activer.',
  tooMany: (seconds) => `Trop de tentatives. Attendez ${seconds} secondes, puis réessayez.`,
  busy: 'Il y a beaucoup de monde en ce moment. Réessayez dans quelques secondes.',
  unavailable: 'La plateforme ne peut pas le faire pour l’instant. Réessayez dans un moment.',
  or: 'ou',
  withProvider: (name) => `Continuer avec ${name}`,
  noWay:
    'Aucun moyen de connexion n’est configuré ici. Adressez-vous à un administrateur de cette plateforme.',
  passwordsOff:
    'Cette plateforme n’accepte pas de mots de passe. Revenez en arrière et choisissez l’un des fournisseurs affichés.',
  stale: 'Vous avez saisi votre mot de passe il y a trop longtemps. Saisissez-le à nouveau.',
  notConfirmed:
    'Confirmez d’abord votre adresse e-mail : ouvrez le lien du message que nous vous avons envoyé, puis ' +
    'connectez-vous ici.',
  sendAgain: 'Renvoyer le message',
  notApproved:
    'Un administrateur doit d’abord approuver ce compte. Adressez-vous à l’un d’eux, puis connectez-vous ici.',
  signedIn: 'Vous êtes connecté',
  signedInAs: (who) => `Connecté en tant que ${who}`,
  superAdmin: 'Super-administrateur',
  inBrowser: 'Dans ce navigateur',
  inBrowserText: 'La session est conservée dans un cookie. Votre compte, tel que l’API le voit :',
  inTerminal: 'Dans un terminal',
  inTerminalText:
    'Avec votre mot de passe dans la variable PASSWORD : connectez-vous, lisez le jeton dans le fichier de ' +
    'cookies, appelez l’API.',
  signOut: 'Se déconnecter',
  signOutTitle: 'Se déconnecter ?',
  signOutText: (host) => `Vous serez déconnecté de ${host} dans ce navigateur.`,
  staySignedIn: 'Rester connecté',
  signedOut: 'Vous êtes déconnecté',
  signedOutText:
    'La session est terminée dans ce navigateur. Vous pouvez fermer cette page ou vous reconnecter.',
  signInAgain: 'Se reconnecter',
  errorTitle: 'Cela n’a pas fonctionné',
  expired: 'Cette connexion a expiré ou a été commencée dans un autre navigateur. Recommencez-la.',
  switchTitle: 'Changer de compte ?',
  switchText: (now: string, next: string) =>
    `Ce navigateur est connecté en tant que ${now}. Le lien ouvert vous connecterait en tant que ${next}. ` +
    `Continuez seulement si vous l’avez demandé.`,
  switchTo: (next: string) => `Se connecter en tant que ${next}`,
  stayAs: (now: string) => `Rester connecté en tant que ${now}`,
  ticketOver:
    'Cette adresse ne fonctionne qu’une fois et pendant une minute. Retournez à l’application et ' +
    'demandez-en une autre.',
  otherSite: 'Le formulaire n’a pas été envoyé depuis cette page et a été refusé. Recommencez.',
  refused:
    'L’application qui vous a envoyé ici a demandé quelque chose que cette plateforme refuse. Ses auteurs ' +
    'peuvent vous aider.',
  internal: 'Un problème est survenu de notre côté. Réessayez ; s’il persiste, prévenez un administrateur.',
  errorCode: 'Pour l’assistance',
}

/** The texts of a language. */
export const textsOf = (language: Language): Texts => (language === 'fr' ? fr : en)

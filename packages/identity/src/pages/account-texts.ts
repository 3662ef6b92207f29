import type { Language } from './language.ts'

const en = {
  createAccount: 'Create an account',
  createTitle: 'Create your account',
  create: 'Create account',
  firstName: 'First name',
  lastName: 'Last name',
  newPassword: 'New password',
  passwordHint: 'At least 8 characters. A few unrelated words are easy to remember and hard to guess.',
  haveAccount: 'You already have an account?',
  notCreated: 'Your account is not created yet',
  forgotten: 'Forgot your password?',
  forgottenText: 'Enter the e-mail address of your account. We send you a link to set a new password.',
  sendLink: 'Send the link',
  notSent: 'The link is not sent yet',
  rememberedIt: 'You remember it?',
  checkMail: 'Check your mail',
  linkSent: (email: string) =>
    `If there is an account for ${email}, a link to set a new password is on its way. It works once, for one hour.`,
  signUpMailed: (email: string) =>
    `We have written to ${email}. Open the link in that mail to use your account.`,
  validationMailed: (email: string) =>
    `If there is an account for ${email} that waits for its confirmation, the link is on its way again.`,
  notThere: 'Nothing there after a few minutes? Look among unwanted mail, or let us send it again.',
  sendAgain: 'Send it again',
  waitsForApproval: 'Almost there',
  waitsForApprovalText: 'Your account is made. An administrator will look at it; you can sign in after that.',
  setPassword: 'Set a new password',
  setPasswordText: 'Choose it now. You are signed out everywhere else with the old one.',
  savePassword: 'Save password',
  notSaved: 'The password is not saved yet',
  passwordSet: 'Your password is set',
  passwordSetText: 'Sign in with it from now on. Everybody who was signed in to your account was signed out.',
  confirmAddress: 'Confirm your address',
  confirmAddressText: 'One click, and we know that this address is yours.',
  confirm: 'Confirm address',
  confirmed: 'Your address is confirmed',
  confirmedText: 'Your account is ready. You can sign in now.',
  validationMail: 'Confirm your address',
  validationMailText:
    'Enter the e-mail address you signed up with. We send you the link that confirms it again.',
  deleteTitle: 'Delete your account?',
  deleteText: (email: string) =>
    `The account ${email} and what belongs to it alone will be deleted. Nobody can bring it back.`,
  deleteAccount: 'Delete my account',
  keepAccount: 'Keep it',
  deleted: 'Your account is deleted',
  deletedText: 'You are signed out everywhere. You can close this page.',
  badLink: 'This link can’t be used',
  badLinkText: 'It has expired, was used before, or is not complete. Copy it whole, or ask for a new one.',
  badDeletionLinkText:
    'It has expired, was used before, or is not complete. Nothing was deleted. Ask for a new one in your account.',
  newLink: 'Get a new link',
  goOn: 'Continue',
  signIn: 'Sign in',
  emailMissing: 'Enter your e-mail address.',
  emailWrong: 'This is no e-mail address. It looks like name@example.com.',
  emailTaken: 'There is an account with this address already. Sign in, or set a new password.',
  firstNameMissing: 'Enter your first name.',
  firstNameWrong: 'Write the first name with up to 60 letters, digits, spaces, hyphens, dots or apostrophes.',
  lastNameMissing: 'Enter your last name.',
  lastNameWrong: 'Write the last name with up to 60 letters, digits, spaces, hyphens, dots or apostrophes.',
  passwordMissing: 'Choose a password.',
  passwordShort: 'The password must have at least 8 characters.',
  passwordLong: 'The password must have at most 128 characters.',
  passwordCommon:
    'This password is among those that are tried first. Choose another one, for example a few unrelated words.',
  passwordPersonal:
    'This password holds little beside your name or address. Choose another one, for example a few unrelated words.',
  showPassword: 'Show password',
  strength: 'Strength:',
  strengths: 'too short|easy to guess|fair|hard to guess',
  lookAtFields: 'Look at what is marked below.',
  tooMany: (seconds: number) =>
    `Too many requests from your network. Wait ${seconds} seconds, then try again.`,
  noSignUp: 'Accounts of this platform are made by its administrators. Ask one of them for yours.',
  noPage: 'There is no such page.',
}

/** Everything the pages about accounts say, by language. */
export type AccountTexts = typeof en

const fr: AccountTexts = {
  createAccount: 'Créer un compte',
  createTitle: 'Créez votre compte',
  create: 'Créer le compte',
  firstName: 'Prénom',
  lastName: 'Nom',
  newPassword: 'Nouveau mot de passe',
  passwordHint:
    'Au moins 8 caractères. Quelques mots sans lien sont faciles à retenir et difficiles à deviner.',
  haveAccount: 'Vous avez déjà un compte ?',
  notCreated: 'Votre compte n’est pas encore créé',
  forgotten: 'Mot de passe oublié ?',
  forgottenText:
    'Saisissez l’adresse e-mail de votre compte. Nous vous envoyons un lien pour choisir un nouveau mot de passe.',
  sendLink: 'Envoyer le lien',
  notSent: 'Le lien n’est pas encore envoyé',
  rememberedIt: 'Vous l’avez retrouvé ?',
  checkMail: 'Consultez vos e‑mails',
  linkSent: (email) =>
    `S’il existe un compte pour ${email}, un lien pour choisir un nouveau mot de passe est en route. Il ` +
    `fonctionne une fois, pendant une heure.`,
  signUpMailed: (email) =>
    `Nous avons écrit à ${email}. Ouvrez le lien de ce message pour utiliser votre compte.`,
  validationMailed: (email) =>
    `S’il existe un compte pour ${email} qui attend sa confirmation, le lien est de nouveau en route.`,
  notThere:
    'Rien reçu après quelques minutes ? Regardez parmi les indésirables, ou demandez un nouvel envoi.',
  sendAgain: 'Envoyer à nouveau',
  waitsForApproval: 'Presque terminé',
  waitsForApprovalText:
    'Votre compte est créé. Un administrateur va l’examiner ; vous pourrez ensuite vous connecter.',
  setPassword: 'Choisir un nouveau mot de passe',
  setPasswordText: 'Choisissez-le maintenant. Partout ailleurs, l’ancien mot de passe vous déconnecte.',
  savePassword: 'Enregistrer',
  notSaved: 'Le mot de passe n’est pas encore enregistré',
  passwordSet: 'Votre mot de passe est enregistré',
  passwordSetText:
    'Utilisez-le désormais pour vous connecter. Toutes les sessions ouvertes de votre compte sont terminées.',
  confirmAddress: 'Confirmez votre adresse',
  confirmAddressText: 'Un clic, et nous savons que cette adresse est la vôtre.',
  confirm: 'Confirmer l’adresse',
  confirmed: 'Votre adresse est confirmée',
  confirmedText: 'Votre compte est prêt. Vous pouvez vous connecter.',
  validationMail: 'Confirmez votre adresse',
  validationMailText:
    'Saisissez l’adresse e-mail de votre inscription. Nous vous envoyons à nouveau le lien qui la confirme.',
  deleteTitle: 'Supprimer votre compte ?',
  deleteText: (email) =>
    `Le compte ${email} et ce qui n’appartient qu’à lui seront supprimés. Personne ne pourra le rétablir.`,
  deleteAccount: 'Supprimer mon compte',
  keepAccount: 'Le garder',
  deleted: 'Votre compte est supprimé',
  deletedText: 'Vous êtes déconnecté partout. Vous pouvez fermer cette page.',
  badLink: 'Ce lien ne peut pas être utilisé',
  badLinkText:
    'Il a expiré, a déjà servi ou n’est pas complet. Copiez-le en entier, ou demandez-en un nouveau.',
  badDeletionLinkText:
    'Il a expiré, a déjà servi ou n’est pas complet. Rien n’a été supprimé. Demandez-en un nouveau depuis ' +
    'votre compte.',
  newLink: 'Obtenir un nouveau lien',
  goOn: 'Continuer',
  signIn: 'Se connecter',
  emailMissing: 'Saisissez votre adresse e-mail.',
  emailWrong: 'Ce n’est pas une adresse e-mail. Elle ressemble à nom@example.com.',
  emailTaken:
    'Un compte existe déjà avec cette adresse. Connectez-vous, ou choisissez un nouveau mot de passe.',
  firstNameMissing: 'Saisissez votre prénom.',
  firstNameWrong:
    'Écrivez le prénom avec au plus 60 lettres, chiffres, espaces, traits d’union, points ou apostrophes.',
  lastNameMissing: 'Saisissez votre nom.',
  lastNameWrong:
    'Écrivez le nom avec au plus 60 lettres, chiffres, espaces, traits d’union, points ou apostrophes.',
  passwordMissing: 'Choisissez un mot de passe.',
  passwordShort: 'Le mot de passe doit avoir au moins 8 caractères.',
  passwordLong: 'Le mot de passe doit avoir au plus 128 caractères.',
  passwordCommon:
    'Ce mot de passe est de ceux que l’on essaie d’abord. Choisissez-en un autre, par exemple quelques mots ' +
    'sans rapport.',
  passwordPersonal:
    'Ce mot de passe ne contient guère que votre nom ou votre adresse. Choisissez-en un autre, par exemple ' +
    'quelques mots sans rapport.',
  showPassword: 'Afficher le mot de passe',
  strength: 'Solidité :',
  strengths: 'trop court|facile à deviner|moyen|difficile à deviner',
  lookAtFields: 'Regardez ce qui est signalé ci-dessous.',
  tooMany: (seconds) => `Trop de demandes depuis votre réseau. Attendez ${seconds} secondes, puis réessayez.`,
  noSignUp: 'Les comptes de cette plateforme sont créés par ses administrateurs. Demandez-leur le vôtre.',
  noPage: 'Cette page n’existe pas.',
}

/** The texts of a language. */
export const accountTextsOf = (language: Language): AccountTexts => (language === 'fr' ? fr : en)

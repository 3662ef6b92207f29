import type { Language } from './language.ts'

const en = {
  codeTitle: 'Enter your code',
  codeText: 'Open your authenticator app and enter the six digits it shows for this platform.',
  code: 'Six-digit code',
  recoveryTitle: 'Use a recovery code',
  recoveryText:
    'Enter one of the recovery codes you kept when you set up your authenticator. Each works once.',
  recoveryCode: 'Recovery code',
  useRecoveryCode: 'Use a recovery code instead',
  useAuthenticator: 'Use your authenticator instead',
  anotherAccount: 'Sign in with another account',
  next: 'Continue',
  codeWrong:
    'This code is not right, or was used before. Enter the one your authenticator shows now; its clock must be right.',
  recoveryWrong: 'This recovery code is not right, or was used before. Check it or try another one.',
  codeMissing: 'Enter the six digits your authenticator shows.',
  recoveryMissing: 'Enter a recovery code.',
  enrolTitle: 'Protect your account',
  enrolText: 'This platform asks for a code besides your password. Set it up once, it takes a minute.',
  enrolScan: 'Scan this picture with an authenticator app on your phone.',
  enrolPicture: 'QR code for your authenticator app. The key below says the same.',
  enrolKey: 'No camera? Enter this key in the app instead.',
  enrolCode: 'Enter the six digits the app shows now.',
  codesTitle: 'Keep your recovery codes',
  codesText:
    'Your authenticator is set up. If you ever lose it, one of these codes lets you in. Each works once, and ' +
    'they are not shown again.',
  codesList: 'Recovery codes',
  codesKept: 'I have kept these codes in a safe place',
  codesNotKept: 'Keep the codes, then confirm it. Without them a lost phone locks you out.',
}

/** What the pages of codes say. */
export type CodeTexts = typeof en

const fr: CodeTexts = {
  codeTitle: 'Saisissez votre code',
  codeText:
    'Ouvrez votre application d’authentification et saisissez les six chiffres affichés pour cette plateforme.',
  code: 'Code à six chiffres',
  recoveryTitle: 'Utiliser un code de secours',
  recoveryText:
    'Saisissez l’un des codes de secours conservés lors de la configuration. Chacun ne sert qu’une fois.',
  recoveryCode: 'Code de secours',
  useRecoveryCode: 'Utiliser un code de secours',
  useAuthenticator: 'Utiliser votre application d’authentification',
  anotherAccount: 'Se connecter avec un autre compte',
  next: 'Continuer',
  codeWrong:
    'Ce code est incorrect ou a déjà servi. Saisissez celui que l’application affiche maintenant ; son heure ' +
    'doit être juste.',
  recoveryWrong: 'Ce code de secours est incorrect ou a déjà servi. Vérifiez-le ou essayez-en un autre.',
  codeMissing: 'Saisissez les six chiffres affichés par votre application.',
  recoveryMissing: 'Saisissez un code de secours.',
  enrolTitle: 'Protégez votre compte',
  enrolText:
    'Cette plateforme demande un code en plus de votre mot de passe. La configuration se fait une fois et ' +
    'prend une minute.',
  enrolScan: 'Scannez cette image avec une application d’authentification sur votre téléphone.',
  enrolPicture: 'Code QR pour votre application d’authentification. La clé ci-dessous dit la même chose.',
  enrolKey: 'Pas d’appareil photo ? Saisissez cette clé dans l’application.',
  enrolCode: 'Saisissez les six chiffres affichés maintenant par l’application.',
  codesTitle: 'Conservez vos codes de secours',
  codesText:
    'Votre application est configurée. Si vous la perdez, l’un de ces codes vous permettra d’entrer. Chacun ne ' +
    'sert qu’une fois, et ils ne seront plus affichés.',
  codesList: 'Codes de secours',
  codesKept: 'J’ai conservé ces codes en lieu sûr',
  codesNotKept:
    'Conservez les codes, puis confirmez-le. Sans eux, un téléphone perdu vous laisserait dehors.',
}

/** The texts of a language. */
export const codeTextsOf = (language: Language): CodeTexts => (language === 'fr' ? fr : en)

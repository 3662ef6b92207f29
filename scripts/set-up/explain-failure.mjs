const again = 'then run the command again'

/** The first pattern that the installer's output matches names the problem and its remedy. */
const reasons = [
  [
    /ENOSPC|EDQUOT|no space left|os error 28\b|quota exceeded/i,
    `The disk is full: free at least 2 GB where this directory and your home directory are, ${again}.`,
  ],
  [
    /EROFS|read-only file system/i,
    `The file system is read-only: move this directory to one that can be written, ${again}.`,
  ],
  [
    /EACCES|EPERM|permission denied/i,
    'The packages cannot be written: give this user write access to this directory and to its ' +
      `home directory, ${again}.`,
  ],
  [
    /OUTDATED_LOCKFILE|LOCKFILE_CONFIG_MISMATCH|MISSING_LOCKFILE|is not up to date with/,
    'The lockfile does not match the package.json files: run `npx pnpm@12.21.0 install` and commit pnpm-lock.yaml.',
  ],
  [
    /IGNORED_BUILDS/,
    'A package wants to run an install script that nobody has judged: add it to allowBuilds in ' +
      'pnpm-workspace.yaml, as true or false.',
  ],
  [
    /CERT|self.signed|unable to get local issuer|UnknownIssuer|invalid peer certificate/i,
    `The package registry's certificate is not trusted here: name your authority's file in ` +
      `NODE_EXTRA_CA_CERTS or in npm's setting cafile, ${again}.`,
  ],
  [
    /\bE40[13]\b|ERR_PNPM_FETCH_40[13]|ENEEDAUTH/,
    `The package registry refuses this user: sign in with \`npm login\` or correct npm's settings, ${again}.`,
  ],
  [
    /MINIMUM_RELEASE_AGE|SUPPLY_CHAIN|ERR_PNPM_TARBALL_INTEGRITY|EINTEGRITY/,
    'A package is not the one that the lockfile names or is too young to be trusted: nothing was ' +
      'run; tell the maintainers.',
  ],
  [
    new RegExp(
      'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|SOCKET_TIMEOUT|' +
        'ENOTCACHED|NETWORK_ERROR|META_FETCH_FAIL|ERR_PNPM_FETCH|error sending request|network|' +
        'timed? ?out|\\bE(404|429|5\\d\\d)\\b|ETARGET',
      'i',
    ),
    'The packages cannot be downloaded because the package registry does not answer: connect to ' +
      `the network or correct npm's setting registry, ${again}.`,
  ],
]

/** One sentence for a failed installation, without addresses. `log` is where the whole output was kept. */
export function explainFailure(output, { code, signal }, log) {
  const known = reasons.find(([pattern]) => pattern.test(output))
  if (known) return known[1]
  if (signal)
    return `The installation was ended by ${signal}; if nobody did that, the machine ran out of memory.`
  return `The packages could not be installed (code ${code}): read ${log}.`
}

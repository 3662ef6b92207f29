const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const curveSizes: Record<string, number> = { ES256: 256, ES384: 384, ES512: 521 }

/** Why `(JWKS_KTY, JWKS_ALG, JWKS_SIZE)` can't be used, or undefined when it can. */
export function keyPolicyProblem({
  kty,
  alg,
  size,
}: {
  kty: string
  alg: string
  size: number
}): string | undefined {
  if (kty === 'RSA') return rsaProblem(alg, size)
  if (kty === 'EC') return ecProblem(alg, size)
  return `does not go with JWKS_KTY "${kty}": the key type must be RSA or EC`
}

function rsaProblem(alg: string, size: number): string | undefined {
  if (!rsaAlgorithms.includes(alg))
    return `"${alg}" does not go with JWKS_KTY RSA: use one of ${rsaAlgorithms.join(', ')}`
  if (size < 2048 || size > 8192) return `needs JWKS_SIZE between 2048 and 8192 for RSA, not ${size}`
  return undefined
}

function ecProblem(alg: string, size: number): string | undefined {
  const expected = curveSizes[alg]
  if (expected === undefined)
    return `"${alg}" does not go with JWKS_KTY EC: use one of ${Object.keys(curveSizes).join(', ')}`
  if (size !== expected) return `${alg} needs JWKS_SIZE ${expected}, not ${size}`
  return undefined
}

import { createHash } from 'node:crypto'
import { aClientRecord, aCodeRecord } from '@mintmark/storage-interface/fixtures'
import { describe, expect, it } from 'vitest'

import { proveCodeVerifier } from './authorization-code.ts'

const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenged = aCodeRecord({ codeChallengeMethod: 'S256', codeChallenge: challengeOf(verifier) })
const exempt = aCodeRecord({ codeChallengeMethod: 'exempt', codeChallenge: undefined })

const client = aClientRecord()

function challengeOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

describe('the code verifier', () => {
  it('is proven when it hashes to the challenge (RFC 7636 §4.6)', async () => {
    expect(challengeOf(verifier)).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')

    expect(await proveCodeVerifier(verifier, challenged, client)).toEqual({ method: 'S256' })
  })

  it.each([
    ['missing', undefined, 'code_verifier_missing'],
    ['a different verifier', `${verifier.slice(0, -1)}l`, 'code_verifier_mismatch'],
    ['the challenge itself', challengeOf(verifier), 'code_verifier_mismatch'],
    ['too short', 'a'.repeat(42), 'code_verifier_mismatch'],
    ['too long', 'a'.repeat(129), 'code_verifier_mismatch'],
    ['made of characters that are not unreserved', `${verifier.slice(0, -1)}+`, 'code_verifier_mismatch'],
  ])('is refused when it is %s (RFC 7636 §4.1, §4.6)', async (_case, presented, reason) => {
    await expect(proveCodeVerifier(presented, challenged, client)).rejects.toMatchObject({
      code: 'invalid_grant',
      reason,
    })
  })

  it.each([43, 128])('may have %d characters (RFC 7636 §4.1)', async (length) => {
    const text = 'a'.repeat(length)

    const proof = await proveCodeVerifier(text, { ...challenged, codeChallenge: challengeOf(text) }, client)

    expect(proof).toEqual({ method: 'S256' })
  })

  it.each(['a'.repeat(42), 'a'.repeat(129), '', `${verifier}+`])(
    'is refused when it is malformed, even if it hashes to the challenge: %s (RFC 7636 §4.1)',
    async (text) => {
      const code = { ...challenged, codeChallenge: challengeOf(text) }

      await expect(proveCodeVerifier(text, code, client)).rejects.toMatchObject({ reason: 'code_verifier_mismatch' })
    },
  )

  it('is not required after a request without a challenge, and is refused if the client sends one (RFC 9700 §4.8.2)', async () => {
    expect(await proveCodeVerifier(undefined, exempt, client)).toEqual({ method: 'exempt' })

    await expect(proveCodeVerifier(verifier, exempt, client)).rejects.toMatchObject({
      reason: 'code_verifier_unexpected',
    })
  })

  it('is refused when storage lost the challenge (RFC 7636 §4.6)', async () => {
    const lost = { ...challenged, codeChallenge: undefined }

    await expect(proveCodeVerifier(verifier, lost, client)).rejects.toMatchObject({ reason: 'code_challenge_lost' })
    await expect(proveCodeVerifier(undefined, lost, client)).rejects.toMatchObject({ reason: 'code_challenge_lost' })
  })
})

import { randomBytes } from 'node:crypto'

import { jwtVerify, SignJWT } from 'jose'

import { digest } from './digest.ts'
import { commonClaims, type FloorKeys, type FloorWork } from './floor-work.ts'

/** The minimum: jose signs and verifies, and a refresh token consists of random bytes. */
export const minimalWork = ({ issuer, algorithm, privateKey, publicKey }: FloorKeys): FloorWork => ({
  headers: {},
  sign: (type, claims) =>
    new SignJWT({ ...claims, ...commonClaims(issuer) })
      .setProtectedHeader({ alg: algorithm, typ: type, kid: 'k' })
      .sign(privateKey),
  verify: async (token) => (await jwtVerify(token, publicKey, { issuer, typ: 'at+jwt' })).payload,
  dependenciesOf: ({ user }) => (user === undefined ? {} : { family: user.familyId }),
  createRefreshToken() {
    const handle = secret()
    const token = `${handle}${secret()}`
    return { token, handleDigest: digest(handle), currentDigest: digest(token) }
  },
  replaceRefreshToken(presented) {
    const handle = presented.slice(0, 43)
    const token = `${handle}${secret()}`
    return {
      handleDigest: digest(handle),
      presentedDigest: digest(presented),
      successor: { token, currentDigest: digest(token) },
    }
  },
})

const secret = (): string => randomBytes(32).toString('base64url')

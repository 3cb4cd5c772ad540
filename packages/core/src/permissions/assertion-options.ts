import * as z from 'zod/mini'

import { isResourceUri } from '../clients/check-metadata.ts'
import { isKeySetUrl, isPublicKeySet, readKeySet } from '../clients/remote-key-set.ts'

const text = z.string().check(z.minLength(1), z.maxLength(512))

const keySetUrl = text.check(z.refine(isKeySetUrl, { error: 'must be an https address' }))

/** RFC 8707 §2: an absolute URI without fragment. */
export const resourceUri = z
  .string()
  .check(z.refine(isResourceUri, { error: 'must be an absolute URI without fragment' }))

const assertionIssuer = z
  .strictObject({
    issuer: text,
    jwksUri: z.optional(keySetUrl),
    jwks: z.optional(
      z
        .looseObject({ keys: z.array(z.unknown()) })
        .check(z.refine((jwks) => isPublicKeySet(readKeySet(jwks)), { error: 'must have public keys' })),
    ),
    clients: z.array(text).check(z.minLength(1)),
    scopes: z.array(text),
    audiences: z.array(resourceUri).check(z.minLength(1)),
    maxLifetime: z.optional(z.int().check(z.minimum(1), z.maximum(3600))),
    findUser: z.custom<(...args: never) => unknown>((value) => typeof value === 'function', {
      error: 'must be a function',
    }),
  })
  .check(
    z.refine(({ jwks, jwksUri }) => (jwks === undefined) !== (jwksUri === undefined), {
      error: 'must have either jwks or jwksUri',
    }),
  )

/** The option `jwtBearer`. */
export const jwtBearerOption = z.optional(z.strictObject({ issuers: z.array(assertionIssuer).check(z.minLength(1)) }))

/** The option `crossAppAccess`. */
export const crossAppAccessOption = z.prefault(
  z.strictObject({ accepts: z.prefault(z.boolean(), false), issues: z.prefault(z.boolean(), false) }),
  {},
)

/** @throws TypeError when a trusted issuer is this server, or is listed twice. */
export function refuseUnusableIssuers(option: z.infer<typeof jwtBearerOption>, own: string): void {
  const issuers = option?.issuers.map(({ issuer }) => issuer) ?? []
  if (issuers.includes(own)) throw new TypeError('Invalid options: jwtBearer: an issuer is the server itself.')
  if (new Set(issuers).size < issuers.length)
    throw new TypeError('Invalid options: jwtBearer: an issuer is listed twice.')
}

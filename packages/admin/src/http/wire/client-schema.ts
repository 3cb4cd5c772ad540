import * as z from 'zod'

import {
  anyObject,
  identifier,
  optionally,
  pageAnswer,
  seconds,
  secretAnswer,
  texts,
  version,
} from './common-schema.ts'

/** The algorithms that can be asked for; the server refuses those that it does not sign with. */
const algorithm = z.enum(['RS256', 'PS256', 'ES256', 'EdDSA', 'ML-DSA-65'])

/** Names of RFC 7591 §2. */
const members = {
  client_name: z.string().min(1).max(200),
  token_endpoint_auth_method: z.enum(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']),
  redirect_uris: texts(2000),
  grant_types: texts(200, 20),
  scopes: texts(256, 200),
  served_audiences: texts(2000),
  id_token_signed_response_alg: algorithm,
  require_auth_time: z.boolean(),
}

const clearable = {
  jwks: anyObject,
  jwks_uri: z.string().max(2000),
  userinfo_signed_response_alg: algorithm,
  default_max_age: z.int().min(0),
}

export const clientBody = z.strictObject({
  ...optionally({ client_id: identifier, ...members, ...clearable }),
  client_name: members.client_name,
})

const nullable = {
  jwks: clearable.jwks.nullable(),
  jwks_uri: clearable.jwks_uri.nullable(),
  userinfo_signed_response_alg: clearable.userinfo_signed_response_alg.nullable(),
  default_max_age: clearable.default_max_age.nullable(),
}

/** What is left out stays; null takes away. */
export const clientChangeBody = z.strictObject(optionally({ ...members, ...nullable }))

export const clientAnswer = z.strictObject({
  client_id: identifier,
  ...members,
  id_token_signed_response_alg: z.string(),
  jwks: anyObject.exactOptional(),
  jwks_uri: z.string().exactOptional(),
  userinfo_signed_response_alg: z.string().exactOptional(),
  default_max_age: z.int().exactOptional(),
  secrets: z.array(secretAnswer),
  disabled_at: seconds.exactOptional(),
  created_at: seconds,
  version,
})

/** With the secret, where one was made: this is the only answer that has it. */
export const clientWithSecretAnswer = z.strictObject({
  client: clientAnswer,
  client_secret: z.string().exactOptional(),
})

export const clientSecretAnswer = z.strictObject({ client_secret: z.string() })

export const clientsAnswer = pageAnswer(clientAnswer)

import * as z from 'zod'

import { anyObject, optionally, pageAnswer, seconds, version } from './common-schema.ts'

const members = { claims: anyObject, custom_fields: anyObject }

export const accountBody = z.strictObject(optionally({ user_id: z.string().min(1).max(255), ...members }))

/**
 * What is left out stays, in `claims` and `custom_fields` too; null takes a claim or a field away (RFC 7396 §2, one
 * level deep).
 */
export const accountChangeBody = z.strictObject(optionally(members))

export const accountAnswer = z.strictObject({
  user_id: z.string(),
  active: z.boolean(),
  ...members,
  created_at: seconds,
  updated_at: seconds,
  version,
})

const endedAccess = z.strictObject({
  grants: z.array(z.strictObject({ grant_id: z.string(), client_id: z.string() })),
  session_ids: z.array(z.string()),
})

/** With what died. */
export const endedAccountAnswer = z.strictObject({ account: accountAnswer, ended: endedAccess.exactOptional() })

export const accountsAnswer = z.strictObject({ ...pageAnswer(accountAnswer).shape, total: z.int() })

/** The same as the query of a list: what is searched for stays out of logs of addresses. */
export const searchBody = z.strictObject(
  optionally({ filter: z.string().max(4096), after: z.string().min(1).max(1100), limit: z.int().min(1).max(200) }),
)

const grantAnswer = z.strictObject({
  grant_id: z.string(),
  client_id: z.string(),
  user_id: z.string(),
  scopes: z.array(z.string()),
  created_at: seconds,
  honoured: z.boolean(),
})

export const grantsAnswer = z.strictObject({ items: z.array(grantAnswer) })

export const grantPageAnswer = pageAnswer(grantAnswer)

export const sessionsAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      session_id: z.string(),
      user_id: z.string(),
      signed_in_at: seconds,
      amr: z.array(z.string()),
      expires_at: seconds,
    }),
  ),
})

/** How many were ended. */
export const revokedAnswer = z.strictObject({ revoked: z.int() })

/** How many were ended so far, and where to go on. */
export const revokedPageAnswer = z.strictObject({ revoked: z.int(), next: z.string().exactOptional() })

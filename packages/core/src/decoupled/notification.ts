import type { Random } from '@mintmark/internal'
import type { JsonValue } from '@mintmark/storage-interface'
import type { SecretDigest } from '@mintmark/storage-interface/stores'

import { createSeal } from '../authorize/seal.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { Parameters } from '../parameters.ts'
import { refuse } from '../refusals.ts'

/** What the server sends to a client when its user has decided (CIBA Core 1.0 §10.2). */
interface Notification {
  readonly authReqId: string
  /** The bearer token that the client chose for this request. */
  readonly token: string
}

/** Seals what only the sender of the notification needs to know: whoever reads the database could send it, or poll. */
export interface NotificationSeal {
  seal(notification: Notification, digest: SecretDigest): Promise<string>
  /** @returns `undefined` when it was sealed for another request, or with a key that the server does not have. */
  open(sealed: string, digest: SecretDigest): Promise<Notification | undefined>
}

export function createNotificationSeal(deps: {
  readonly issuer: string
  readonly keys: KeyRing
  readonly random: Random
}): NotificationSeal {
  const values = createSeal<Notification & { readonly digest: string }>(
    {
      purpose: 'notifications of backchannel requests',
      context: `backchannel notification ${deps.issuer}`,
      maxLength: 4000,
      encode: (content) => content,
      decode: ({ authReqId, token, digest }) => ({
        authReqId: textOf(authReqId),
        token: textOf(token),
        digest: textOf(digest),
      }),
    },
    deps,
  )
  return {
    async seal(notification, digest) {
      const sealed = await values.seal({ ...notification, digest })
      if (sealed === undefined) throw new TypeError('A notification is longer than its limit.')
      return sealed
    },
    async open(sealed, digest) {
      const opened = await values.open(sealed)
      return opened?.digest === digest ? opened : undefined
    },
  }
}

/** The seal proves that one of the issuer's servers wrote the members. */
const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/**
 * Returns the token for the notification of a client in the mode ping.
 * @throws OAuthError invalid_request — reason `notification_token_missing` | `notification_token_invalid`.
 */
export function parseNotificationToken(parameters: Parameters): string {
  const token = parameters.get('client_notification_token')
  // CIBA Core 1.0 §7.1: required in the mode ping.
  if (token === undefined) throw refuse('notification_token_missing')
  // CIBA Core 1.0 §7.1: the syntax of RFC 6750 §2.1, at most 1024 characters, at least 128 bits: 22 characters of base64.
  const isBearer = token.length >= 22 && token.length <= 1024 && /^[A-Za-z0-9._~+/-]+=*$/.test(token)
  // A random token has more different characters than this; a word that is repeated has not.
  if (!isBearer || new Set(token).size < 6) throw refuse('notification_token_invalid')
  return token
}

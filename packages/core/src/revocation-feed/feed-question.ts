import { seconds, type DurationSeconds } from '@mintmark/storage-interface'

import { OAuthError } from '../error/oauth-error.ts'
import type { Parameters } from '../parameters/parameters.ts'

/** What a resource server asks of the feed. */
export interface FeedQuestion {
  /** The place that it has read to; `undefined` for the beginning. */
  readonly cursor: string | undefined
  /** How long the answer may be kept back until there is something to say. */
  readonly wait: DurationSeconds
  /** The answer repeats it, so that no earlier answer can stand in for it (RFC 8725 §3.10). */
  readonly nonce: string
}

/** @throws OAuthError invalid_request — reason `feed_question_malformed`. */
export function parseFeedQuestion(form: Parameters): FeedQuestion {
  const [cursor, wait = '0', nonce = ''] = [form.get('cursor'), form.get('wait'), form.get('nonce')]
  // RFC 6749 §5.2: a parameter is missing or malformed.
  if ((cursor?.length ?? 0) > 128 || !/^\d{1,3}$/.test(wait) || !/^[\w-]{16,128}$/.test(nonce)) {
    throw new OAuthError(
      'invalid_request',
      'The feed needs a nonce, and takes a cursor and a number of seconds to wait.',
      {
        reason: 'feed_question_malformed',
      },
    )
  }
  return { cursor, wait: seconds(Math.min(Number(wait), longestWait)), nonce }
}

/** In seconds: proxies give up on requests that stay open much longer. */
const longestWait = 20

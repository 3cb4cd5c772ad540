import type { Random } from '@mintmark/internal'

import type { KeyRing } from '../keys/ring.ts'
import { importSealingKey } from '../keys/sealing.ts'

/** The webhook of a sealed secret. A secret that is moved to another webhook or issuer cannot be opened. */
interface WebhookIdentity {
  readonly issuer: string
  readonly webhookId: string
}

type SecretDeriver = Pick<KeyRing, 'deriveSecrets'>

/** Seals the secret of a webhook with a key that is derived from the server's sealing key. */
export async function sealWebhookSecret(
  secret: string,
  webhook: WebhookIdentity,
  { keys, random }: { readonly keys: SecretDeriver; readonly random: Random },
): Promise<string> {
  const [sealingKey] = await sealingKeys(keys)
  if (sealingKey === undefined) throw new TypeError('The key ring must derive at least one secret.')
  return `${sealingKey.id}.${await sealingKey.seal(secret, contextOf(webhook), random)}`
}

/**
 * Opens the secret of a webhook.
 * @returns `undefined` when it was sealed with a sealing key that the server does not have, or for another webhook or
 *   issuer, or was altered.
 */
export async function openWebhookSecret(
  text: string,
  webhook: WebhookIdentity,
  keys: SecretDeriver,
): Promise<string | undefined> {
  const [id, sealed = ''] = text.split('.', 2)
  const sealingKey = (await sealingKeys(keys)).find((each) => each.id === id)
  try {
    return await sealingKey?.open(sealed, contextOf(webhook))
  } catch {
    // A row that somebody altered is like one without a key: the message is not sent, and an administrator sees why.
    return undefined
  }
}

const sealingKeys = async (keys: SecretDeriver) =>
  Promise.all((await keys.deriveSecrets('webhook secrets')).map((bytes) => importSealingKey(new Uint8Array(bytes))))

const contextOf = ({ issuer, webhookId }: WebhookIdentity): string => `webhook ${issuer} ${webhookId}`

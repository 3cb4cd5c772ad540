import type { Random } from '@mintmark/internal'

import type { KeyRing } from '../keys/ring.ts'
import { importSealingKey } from '../keys/sealing.ts'

/** Which secret is sealed: one that was moved to another webhook or issuer does not open. */
interface SecretPlace {
  readonly issuer: string
  readonly webhookId: string
}

type Secrets = Pick<KeyRing, 'deriveSecrets'>

/** Seals the secret of a webhook with a key that follows from the sealing key of the server. */
export async function sealWebhookSecret(
  secret: string,
  place: SecretPlace,
  { keys, random }: { readonly keys: Secrets; readonly random: Random },
): Promise<string> {
  const [sealingKey] = await sealingKeys(keys)
  if (sealingKey === undefined) throw new TypeError('The key ring derives no secrets')
  return `${sealingKey.id}.${await sealingKey.seal(secret, contextOf(place), random)}`
}

/** @throws Error when the secret was sealed with a sealing key that the server does not have. */
export async function openWebhookSecret(text: string, place: SecretPlace, keys: Secrets): Promise<string> {
  const [id, sealed = ''] = text.split('.', 2)
  const sealingKey = (await sealingKeys(keys)).find((each) => each.id === id)
  if (sealingKey === undefined) throw new Error('The secret of a webhook was sealed with another sealing key.')
  return sealingKey.open(sealed, contextOf(place))
}

const sealingKeys = async (keys: Secrets) =>
  Promise.all((await keys.deriveSecrets('webhook secrets')).map((bytes) => importSealingKey(new Uint8Array(bytes))))

const contextOf = ({ issuer, webhookId }: SecretPlace): string => `webhook ${issuer} ${webhookId}`

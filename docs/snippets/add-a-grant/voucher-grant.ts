import { defineGrant, OAuthError } from '@mintmark/core'
import { seconds } from '@mintmark/storage-interface'
import { spend } from './vouchers.ts'

/** Exchanges a voucher for one access token, once. */
export const voucherGrant = defineGrant({
  grantType: 'urn:example:grant-type:voucher',
  async decide(form, presenter) {
    const evidence = await spend(form.get('voucher') ?? '')
    // RFC 6749 §5.2. The client receives this sentence; the reason goes to the log.
    if (!evidence) throw new OAuthError('invalid_grant', 'The voucher is not valid.', { reason: 'grant_refused' })

    const target = {
      audience: ['https://api.example.com'],
      scopes: ['films.watch'],
      lifetime: seconds(300),
      format: 'jwt',
    } as const
    return { ...presenter, evidence, target, forUser: undefined, refreshToken: undefined }
  },
})

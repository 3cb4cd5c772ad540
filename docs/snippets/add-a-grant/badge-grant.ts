import { defineGrant, grantForUser, OAuthError } from '@mintmark/core'
import { seconds, type OAuthStorage } from '@mintmark/storage-interface'
import { readBadge } from './badges.ts'

/** A terminal reads a badge and gets tokens for the user who carries it. */
export const badgeGrant = (storage: OAuthStorage) =>
  defineGrant({
    grantType: 'urn:example:grant-type:badge',
    async decide(form, { client, possession }, now) {
      const evidence = await readBadge(form.get('badge') ?? '')
      if (!evidence) throw new OAuthError('invalid_grant', 'The badge is not valid.', { reason: 'grant_refused' })

      const target = { audience: [storage.issuer], scopes: ['openid'], lifetime: seconds(300), format: 'jwt' } as const
      const signedIn = { subject: evidence.subject, authTime: now, amr: ['hwk'] }
      const forUser = await grantForUser({ client, signedIn, scopes: target.scopes, lifetime: target.lifetime }, now, {
        storage,
      })
      return { evidence, client, possession, target, forUser, refreshToken: undefined }
    },
  })

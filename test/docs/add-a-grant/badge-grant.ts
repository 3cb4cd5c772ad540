import { defineGrant, grantForPerson, OAuthError } from '@mintmark/core'
import { seconds, type Storage } from '@mintmark/storage-interface'
import { readBadge } from './badges.ts'

/** A terminal in the hall reads a badge, and gets tokens about the person who carries it. */
export const badgeGrant = (storage: Storage) =>
  defineGrant({
    grantType: 'urn:example:grant-type:badge',
    async decide(form, client, now) {
      const evidence = await readBadge(form.get('badge') ?? '')
      if (!evidence) throw new OAuthError('invalid_grant', 'The badge is not valid.', { reason: 'grant_refused' })

      const aim = { audience: [storage.issuer], scopes: ['openid'], lifetime: seconds(300), format: 'jwt' } as const
      const signedIn = { subject: evidence.subject, authTime: now, amr: ['hwk'] }
      const person = await grantForPerson({ client, signedIn, scopes: aim.scopes, lifetime: aim.lifetime }, now, {
        storage,
      })
      return { evidence, client, aim, person, refreshToken: undefined }
    },
  })

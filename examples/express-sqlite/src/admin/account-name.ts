import type { UserView } from '@mintmark/admin'

import { textOf } from '../site/text-of.ts'

/** What a person is called here: the first of these claims (OIDC Core §5.1) that the account has. */
export const accountName = ({ claims, userId }: UserView): string =>
  textOf(claims['name']) || textOf(claims['preferred_username']) || textOf(claims['email']) || userId

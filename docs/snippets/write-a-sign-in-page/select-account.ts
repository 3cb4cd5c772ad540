import type { InteractionPage } from '@mintmark/core'
import { selectAccountPage } from '@mintmark/pages'

/** For `pages.selectAccount`. */
export const selectAccount: InteractionPage = async (pending, request) =>
  request.method === 'POST' ? pending.complete({ account: 'signed_in' }) : selectAccountPage(pending, request)

import type { RequestHead, ServerResponse } from '@mintmark/core/http'
import { shownName } from './client-display.ts'
import { address, html } from './html.ts'
import { messagesFor } from './languages/choose-language.ts'
import { fill } from './languages/messages.ts'
import { icon, type Look, page } from './page.ts'

interface SelectAccountPageInput extends Look {
  /** The client that the user signs in to. */
  readonly client?: { readonly clientName: string } | undefined
  /** The validated redirect URI of the pending request: the answer to this form may lead straight there. */
  readonly redirectUri?: string | undefined
  /** How the signed-in user knows the account: the pending interaction has it, or the host knows better. */
  readonly accountName: string | undefined
  /** Where the user signs in with another account; the pending interaction has it, unless the client accepts no other. */
  readonly switchAccountUrl?: string | undefined
}

/**
 * Asks a signed-in user which account to continue with (`prompt=select_account`, OIDC Core §3.1.2.1). Its form posts to its own
 * address: then call `pending.complete({ account: 'signed_in' })`. The other choice is a link.
 * @param request what it answers: the browser's language counts after the client's.
 */
export function selectAccountPage(
  { client, redirectUri, accountName, switchAccountUrl, ...look }: SelectAccountPageInput,
  request?: RequestHead,
): ServerResponse {
  const messages = messagesFor(look, request)
  const { selectAccount, signIn } = messages
  const account = shownName(accountName ?? '', '…')
  const body = html`<header>
<span class="tile">${icon('key')}</span>
<h1>${selectAccount.title}</h1>
${client && html`<p>${fill(signIn.toContinue, { client: shownName(client.clientName, messages.unnamedClient) })}</p>`}
</header>
<form method="post">
<button class="primary" type="submit" name="account" value="signed_in"><span>${fill(selectAccount.continueAs, { account })}</span></button>
</form>
${switchAccountUrl && html`<p class="other"><a ${address('href', switchAccountUrl)}>${selectAccount.another}</a></p>`}`
  return page({
    brand: look.brand,
    messages,
    title: selectAccount.title,
    status: 200,
    formAction: { redirectUri },
    body,
  })
}

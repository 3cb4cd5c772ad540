import type { RequestHead, ServerResponse } from '@mintmark/core/http'
import { renderClient, renderName, type ShownClient } from './client-display.ts'
import { address, html } from './html.ts'
import { messagesFor } from './languages/choose-language.ts'
import { fill } from './languages/messages.ts'
import { icon, type Look, page } from './page.ts'
import { cancelButton } from './sign-in.ts'

interface SelectAccountPageInput extends Look {
  /** The client that the user signs in to. */
  readonly client?: ShownClient | undefined
  /** The name under which the user knows the account, from the pending interaction or from the host. */
  readonly accountName: string | undefined
  /** Where the user can sign in with another account, from the pending interaction; absent if the client accepts no other. */
  readonly switchAccountUrl?: string | undefined
  /** Where the button "Cancel" posts the form, from the pending interaction; without it, the page has no such button. */
  readonly cancelUrl?: string | undefined
}

/**
 * Asks a signed-in user which account to continue with (`prompt=select_account`, OIDC Core §3.1.2.1). The form posts to the
 * address of the page; on a POST, call `pending.complete({ account: 'signed_in' })`. The other choice is a link.
 * @param request the request that the page answers. The browser's language is used if the client requests none.
 */
export function selectAccountPage(
  { client, accountName, switchAccountUrl, cancelUrl, ...look }: SelectAccountPageInput,
  request?: RequestHead,
): ServerResponse {
  const messages = messagesFor(look, request)
  const { selectAccount, signIn } = messages
  const account = renderName(accountName ?? '', '…')
  const body = html`<header>
<span class="tile">${icon('key')}</span>
<h1>${selectAccount.title}</h1>
${client && html`<p>${fill(signIn.toContinue, { client: renderClient(client, messages.unnamedClient) })}</p>`}
</header>
<form method="post">
<button class="primary" type="submit" name="account" value="signed_in"><span>${fill(selectAccount.continueAs, { account })}</span></button>
${cancelUrl && cancelButton(cancelUrl, signIn.cancel)}
</form>
${switchAccountUrl && html`<p class="other"><a ${address('href', switchAccountUrl)}>${selectAccount.another}</a></p>`}`
  return page({
    brand: look.brand,
    messages,
    title: selectAccount.title,
    status: 200,
    formAction: 'leaves',
    body,
  })
}

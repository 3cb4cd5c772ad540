import { redirect, type ServerResponse } from '@mintmark/core/http'
import { address, html } from '@mintmark/pages/internal'

import { readForm } from '../form.ts'
import { head } from '../layout.ts'
import { setupPage } from './setup-page.ts'
import type { OpenedVisit, SetupVisit } from './setup-visit.ts'

/** What a form of the page does: POST to the path of its name. */
export type SetupAction = (visit: OpenedVisit) => Promise<ServerResponse>

export const setupActions: ReadonlyMap<string, SetupAction> = new Map([
  ['/test', test],
  ['/secret', addSecret],
  ['/revoke-previous', revokePrevious],
])

/** Looks again, and compares the pasted text with the Secret Tokens. Nothing changes. */
async function test(visit: OpenedVisit): Promise<ServerResponse> {
  const pasted = readForm(visit.request)
    .text('secret')
    .replace(/^Bearer\s+/i, '')
  return setupPage(visit, { isSecret: pasted === '' ? undefined : await visit.setup.isSecret(pasted) })
}

/** Creates a Secret Token. Only this response contains it, so no address and no cache does. */
async function addSecret(visit: OpenedVisit): Promise<ServerResponse> {
  const { messages, setup, link, show } = visit
  const { secrets, values } = messages
  const secret = await setup.addSecret()
  // RFC 9110 §15.5.10: the page tells how to go on.
  if (secret === undefined) return setupPage(visit, { refusal: secrets.tooMany, status: 409 })
  return show({
    title: secrets.newTitle,
    body: html`${head(secrets.newTitle)}
<section>
<p>${secrets.once}</p>
<pre id="new-secret" tabindex="0" dir="ltr" role="group" aria-label="${secrets.newTitle}">${secret}</pre>
<p id="tenant-url-name">${values.tenantUrl}</p>
<pre id="tenant-url" tabindex="0" dir="ltr" role="group" aria-labelledby="tenant-url-name">${setup.directory.tenantUrl}</pre>
<div class="buttons"><a class="button primary" ${address('href', link(''))}>${secrets.back}</a></div>
</section>`,
  })
}

async function revokePrevious({ setup, link }: OpenedVisit): Promise<ServerResponse> {
  await setup.revokePreviousSecrets()
  return redirect(`${link('')}?done=yes`)
}

/** Says that the link is revoked. */
export const finishedPage = ({ messages: { finish }, show }: SetupVisit, headers: ServerResponse['headers']) =>
  show({
    title: finish.doneTitle,
    headers,
    body: html`${head(finish.doneTitle)}
<section><p role="status">${finish.doneText}</p></section>`,
  })

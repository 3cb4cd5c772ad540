import type { BrowserContext } from 'playwright-core'

import { openFormBrowser, type VisitedPage } from '../support/form-browser.ts'
import { passwordOf, type Username } from './sign-in-steps.ts'

/**
 * Completes a sign-in at the web client like `signInFully`, but without rendering pages, which is most of a test's
 * cost. For tests of what follows a sign-in; the browser has the cookies afterwards.
 */
export async function signInUnseen(
  context: BrowserContext,
  clientUrl: string,
  { username = 'ada', scope }: UnseenSignIn = {},
): Promise<void> {
  const formBrowser = formBrowserIn(context)
  const start = { url: new URL('sign-in', clientUrl), status: 200, text: '' }
  const end = await signInAndAllow(
    formBrowser,
    await formBrowser.fillIn(start, scope === undefined ? {} : { scope }),
    username,
  )
  if (!end.text.includes('Signed in as'))
    throw new Error(`The way to ${clientUrl} ended with ${end.status} at ${end.url.href}.`)
}

/** The same, starting from any client's request. @returns the final URL. */
export async function allowUnseen(context: BrowserContext, start: string): Promise<VisitedPage> {
  const formBrowser = formBrowserIn(context)
  return signInAndAllow(formBrowser, await formBrowser.open(start), 'ada')
}

interface UnseenSignIn {
  readonly username?: Username
  /** The parameters that the client sends besides its identifier. */
  readonly scope?: 'email' | 'offline_access'
}

type FormBrowser = ReturnType<typeof openFormBrowser>

async function signInAndAllow(formBrowser: FormBrowser, login: VisitedPage, username: Username): Promise<VisitedPage> {
  const consent = await formBrowser.fillIn(login, { username, password: passwordOf(username) })
  return formBrowser.fillIn(consent, { decision: 'allow' })
}

/** Sends requests with the browser's cookies and stores the cookies of the answers in the browser. */
const formBrowserIn = (context: BrowserContext): FormBrowser =>
  openFormBrowser(async (url, { method, headers, body }) => {
    const reply = await context.request.fetch(url.href, {
      method: method ?? 'GET',
      headers: {
        ...(headers as Record<string, string>),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      maxRedirects: 0,
      ...(body instanceof URLSearchParams && { data: body.toString() }),
    })
    return new Response(await reply.text(), {
      status: reply.status(),
      headers: reply.headersArray().map(({ name, value }) => [name, value]),
    })
  })

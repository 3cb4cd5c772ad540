import { createCookieJar } from '../interop/cookie-jar.ts'
import { navigate } from './navigate.ts'

/** A page that the browser has reached. */
export interface VisitedPage {
  readonly url: URL
  readonly status: number
  readonly text: string
}

type Send = (url: URL, init: RequestInit) => Promise<Response>

/** A browser without scripts: it stores cookies, follows redirects and posts forms. */
export interface FormBrowser {
  open(url: string | URL): Promise<VisitedPage>
  /** Posts the form of a page with the values that the user fills in and the button that they press. */
  fillIn(page: VisitedPage, fields: Readonly<Record<string, string>>): Promise<VisitedPage>
}

/**
 * Opens a browser in which no user has signed in yet.
 * @param send sends a request. Default: over the network.
 */
export function openFormBrowser(send: Send = navigate): FormBrowser {
  const jar = createCookieJar()

  const go = async (url: URL, form?: URLSearchParams): Promise<VisitedPage> => {
    const reply = await send(url, {
      redirect: 'manual',
      headers: { cookie: jar.header(url), accept: 'text/html', ...(form && { origin: url.origin }) },
      ...(form && { method: 'POST', body: form }),
    })
    jar.store(url, reply.headers.getSetCookie())
    const location = reply.headers.get('location')
    return location === null ? { url, status: reply.status, text: await reply.text() } : go(new URL(location, url))
  }
  return {
    open: (url) => go(new URL(url)),
    fillIn: (page, fields) =>
      go(page.url, new URLSearchParams([...defaultFields(page.text), ...Object.entries(fields)])),
  }
}

/** Returns the fields that the form sends by default: hidden fields and checked boxes. */
const defaultFields = (html: string): readonly [string, string][] =>
  [...html.matchAll(/<input type="(hidden|checkbox)" name="([^"]*)" value="([^"]*)"( checked)?/g)].flatMap(
    ([, type, name = '', value = '', checked]) =>
      type === 'hidden' || checked !== undefined ? [[name, value] as const satisfies [string, string]] : [],
  )

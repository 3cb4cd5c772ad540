import { request, type OutgoingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'

/** A browser without scripts: it stores cookies, follows redirects and submits forms. */
export interface Browser {
  /** Returns the page after all redirects, or the first URL outside the site. */
  open(url: URL): Promise<Page>
  /** Submits the form of a page with these fields and its hidden fields. */
  fillIn(page: Page, fields: Readonly<Record<string, string>>): Promise<Page>
}

interface Page {
  readonly url: URL
  readonly html: string
}

interface Reply {
  readonly setCookies: readonly string[]
  readonly location: string | undefined
  readonly text: string
}

/** Sends a request as a navigation. The server refuses a sign-in by `fetch`, whose headers identify it as a script. */
function send(url: URL, headers: OutgoingHttpHeaders, form: string | undefined): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    const method = form === undefined ? 'GET' : 'POST'
    const sent = request(url, { method, headers: { ...headers, ...type } }, (reply) => {
      const { location, 'set-cookie': setCookies = [] } = reply.headers
      text(reply).then((content) => resolve({ setCookies, location, text: content }), reject)
    })
    sent.on('error', reject).end(form)
  })
}

/**
 * Opens a browser.
 * @param site the origin that the browser stays on.
 * @param extraHeaders headers to add to every request, such as a proxy's headers.
 */
export function openBrowser(site: string, extraHeaders: OutgoingHttpHeaders = {}): Browser {
  const cookies = new Map<string, string>()

  const go = async (url: URL, form?: URLSearchParams): Promise<Page> => {
    if (url.origin !== site) return { url, html: '' }
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...extraHeaders, cookie, ...(form && { origin: site }) }
    const reply = await send(url, headers, form?.toString())
    for (const line of reply.setCookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return reply.location === undefined ? { url, html: reply.text } : go(new URL(reply.location, url))
  }
  return {
    open: (url) => go(url),
    fillIn: ({ url, html }, fields) => {
      const hidden = html.matchAll(/<input type="(?:hidden|checkbox)" name="([^"]*)" value="([^"]*)"/g)
      const form = new URLSearchParams(fields)
      for (const [, name = '', value = ''] of hidden) form.append(name, value)
      return go(url, form)
    },
  }
}

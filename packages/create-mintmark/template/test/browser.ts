/** A browser without scripts: it stores cookies, follows redirects and submits forms. */
export interface Browser {
  /** Returns the page after all redirects, or the first address outside the site. */
  open(url: URL): Promise<Page>
  /** Submits the form of a page with these fields and its hidden ones. */
  fillIn(page: Page, fields: Readonly<Record<string, string>>): Promise<Page>
}

interface Page {
  readonly url: URL
  readonly html: string
}

/** @param site the origin that the browser stays on. */
export function openBrowser(site: string): Browser {
  const cookies = new Map<string, string>()

  const go = async (url: URL, form?: URLSearchParams): Promise<Page> => {
    if (url.origin !== site) return { url, html: '' }
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, ...(form && { origin: site }) }
    const reply = await fetch(url, { redirect: 'manual', headers, ...(form && { method: 'POST', body: form }) })
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = reply.headers.get('location')
    return location === null ? { url, html: await reply.text() } : go(new URL(location, url))
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

import type { ReachableServer } from '../support/server-under-test.ts'
import { postedParameters } from '../support/interaction-steps.ts'

/** A form, with the values that the user submits. */
interface PageForm {
  readonly action: URL
  readonly fields: URLSearchParams
}

/**
 * Reads the form of the host's consent page, with all scope values checked, or of a `form_post` page. Returns
 * `undefined` for any other page.
 */
export function readForm(site: ReachableServer, url: URL, text: string): PageForm | undefined {
  if (url.origin !== site.issuer) return undefined
  const action = /<form method="post" action="([^"]*)">/.exec(text)?.[1]
  if (action !== undefined) return { action: new URL(action), fields: postedParameters({ text }) }
  if (!url.searchParams.has('interaction')) return undefined

  const { scopes } = JSON.parse(text) as { readonly scopes: readonly { readonly name: string }[] }
  return { action: url, fields: new URLSearchParams(scopes.map(({ name }) => ['scope', name])) }
}

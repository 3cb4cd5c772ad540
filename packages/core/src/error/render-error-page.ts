import { noStore, type RequestHead, type ServerResponse } from '@mintmark/internal'

/** What a local error page tells a person. */
export interface ErrorPageContent {
  readonly status: number
  /** The OAuth error code. */
  readonly code: string
  /** A fixed sentence that holds nothing of the request. */
  readonly description: string
}

/**
 * Renders such a page.
 * @param request what it answers: for the person's language. It was refused; believe nothing in it.
 */
export type RenderErrorPage = (content: ErrorPageContent, request: RequestHead) => ServerResponse

/** The plain page that is shown when the host brings none of its own. Both values are fixed texts of this library. */
export const renderErrorPage = (content: ErrorPageContent): ServerResponse => ({
  status: content.status,
  headers: [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"],
    ['X-Frame-Options', 'DENY'],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ...noStore,
  ],
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign-in stopped</title><h1>Sign-in stopped</h1><p>${content.description}</p><p>Go back to the application that you came from and start again.</p><p>Error: <code>${content.code}</code></p></html>`,
})

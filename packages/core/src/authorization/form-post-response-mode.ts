import { noStore, type ServerResponse } from '../http/index.ts'
import { defineResponseMode } from './response-mode.ts'

/**
 * `form_post`: a page that posts the parameters to the client by itself (OAuth 2.0 Form Post Response Mode §2). Where
 * scripts are off, a person presses its button.
 */
export const formPostResponseMode = defineResponseMode({
  mode: 'form_post',
  respond(target, parameters): ServerResponse {
    const fields = parameters.map(
      ([name, value]) => `<input type="hidden" name="${escapeAttribute(name)}" value="${escapeAttribute(value)}">`,
    )
    return {
      status: 200,
      headers: [
        ['Content-Type', 'text/html; charset=utf-8'],
        // No form-action: the client's page may redirect anywhere after the post, and Chrome would hold that against this page.
        [
          'Content-Security-Policy',
          `default-src 'none'; script-src '${scriptHash}'; frame-ancestors 'none'; base-uri 'none'`,
        ],
        ['X-Frame-Options', 'DENY'],
        ['X-Content-Type-Options', 'nosniff'],
        ['Referrer-Policy', 'no-referrer'],
        ...noStore,
      ],
      body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Continue</title><form method="post" action="${escapeAttribute(target)}">${fields.join('')}<noscript><button>Continue</button></noscript></form><script>${script}</script></html>`,
    }
  },
})

const escapeAttribute = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

const script = 'document.forms[0].submit()'

/** SHA-256 of the script; its test computes it anew. */
const scriptHash = 'sha256-ePniVEkSivX/c7XWBGafqh8tSpiRrKiqYeqbG7N1TOE='

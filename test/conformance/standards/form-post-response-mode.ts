import { clientsDuty, notOffered, type Standard } from './standard.ts'

/** The requirements of Form Post Response Mode and Multiple Response Types for an OpenID Provider. */
export const formPostResponseMode: Standard = {
  name: 'Form Post Response Mode',
  title: 'OAuth 2.0 Form Post Response Mode, and Multiple Response Type Encoding Practices',
  address: 'https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html',
  requirements: [
    [
      '2',
      'Each parameter is a hidden field of one form, which is posted to the redirect URI',
      'form_post returns a form for the redirect URI with code, state and iss (Form Post Response Mode §2)',
      'the page posts the response to the client (Form Post Response Mode §2)',
    ],
    [
      '2',
      'Values are encoded for HTML',
      'keeps any state inside its attribute (Form Post Response Mode §2)',
      'the state … arrives unchanged (Form Post Response Mode §2)',
    ],
    [
      '2',
      'Errors are returned the same way',
      'errors use form_post too, uncached, under a strict policy (Form Post Response Mode §2)',
      'the page also posts a denial to the client (Form Post Response Mode §2)',
    ],
    [
      '4',
      'The page is not cached',
      'the page is not cached, can be framed only by its client and runs only its own script (Form Post Response Mode §4)',
    ],
    ['4', 'The client uses state against CSRF', clientsDuty],
    [
      'Types 2.1',
      'query is the default mode for code, and an unknown mode is rejected',
      'query is the default for codes (Multiple Response Types §2.1)',
      'rejects web_message (Multiple Response Types §2.1)',
    ],
    [
      'Types 2.1',
      'No response type that returns tokens uses the query',
      'no token travels through the browser, so no response_type requests one (Multiple Response Types §5)',
    ],
    [
      'Types 3',
      'id_token, and combinations with code and token',
      notOffered('the only response type is code'),
      'response_type=…',
    ],
  ],
}

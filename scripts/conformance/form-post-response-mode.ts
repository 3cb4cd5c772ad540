import { clientsDuty, notOffered, type Standard } from './standard.ts'

/** What Form Post Response Mode and Multiple Response Types ask of an OpenID Provider. */
export const formPostResponseMode: Standard = {
  name: 'Form Post Response Mode',
  title: 'OAuth 2.0 Form Post Response Mode, and Multiple Response Type Encoding Practices',
  address: 'https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html',
  requirements: [
    [
      '2',
      'Each parameter is a hidden field of one form, which is posted to the redirect URI',
      'Form Post Response Mode §2: form_post answers with a form for the redirect URI that holds code, state and iss',
      'Form Post Response Mode §2: the answer posts itself to the client',
    ],
    [
      '2',
      'Values are encoded for HTML',
      'ATK-055 Form Post Response Mode §2: whatever state holds stays inside its attribute',
      'Form Post Response Mode §2: the state … arrives as it was',
    ],
    [
      '2',
      'Errors come by the same way',
      'Form Post Response Mode §2: errors use form_post too',
      'Form Post Response Mode §2: a denial is posted too',
    ],
    [
      '4',
      'No cache keeps the page',
      'Form Post Response Mode §4: no cache keeps the page, nobody frames it, and no script but its own runs',
    ],
    ['4', 'The client protects itself against CSRF by state', clientsDuty],
    [
      'Types 2.1',
      'query is the default of code, and an unknown mode is refused',
      'Multiple Response Types §2.1: query is the default for codes',
      'Multiple Response Types §2.1: web_message is not supported',
    ],
    [
      'Types 2.1',
      'No response type that gives tokens uses the query',
      'Multiple Response Types §5: no token travels through the browser',
    ],
    [
      'Types 3',
      'id_token, and combinations with code and token',
      notOffered('code is the only response type'),
      'response_type=…',
    ],
  ],
}

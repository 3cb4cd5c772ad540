import { clientsDuty, rfc, type Standard } from './standard.ts'

/** The requirements of RFC 9470 for a resource server and for an authorization server. */
export const rfc9470: Standard = {
  name: 'RFC 9470',
  title: 'OAuth 2.0 Step Up Authentication Challenge Protocol',
  address: rfc(9470),
  requirements: [
    [
      '3',
      'The challenge has the error insufficient_user_authentication, and acr_values or max_age',
      'leads from the challenge of the API to a stronger sign-in and back (RFC 9470 §3, §4, §5)',
      'refuses a sign-in that is too old, and tolerates the difference of the clocks (RFC 9470 §3)',
    ],
    [
      '3',
      'acr_values lists contexts in the order of preference, separated by spaces',
      'accepts a stronger context only if the API ranks it (RFC 9470 §3)',
    ],
    ['3', 'max_age is a number of seconds that is not negative', 'does not start with the requirement …'],
    ['4', 'The client sends acr_values and max_age to the authorization endpoint', clientsDuty],
    [
      '5',
      'The authorization server signs the user in as the request asks',
      'leads from the challenge of the API to a stronger sign-in and back (RFC 9470 §3, §4, §5)',
      'does not ask a user with the context mfa to sign in again for … (RFC 9470 §5)',
    ],
    [
      '5',
      'If it cannot, an essential context fails, and acr_values are a preference',
      'treats acr_values as a preference without ranks (OIDC Core §3.1.2.1)',
      'an essential value that the sign-in does not satisfy is an error (OIDC Core §5.5.1.1)',
    ],
    [
      '6.1',
      'A JWT access token has acr and auth_time',
      'leads from the challenge of the API to a stronger sign-in and back (RFC 9470 §3, §4, §5)',
    ],
    [
      '6.2',
      'An introspection response has acr and auth_time',
      'tells an API that introspects a token the context and the time of the sign-in (RFC 9470 §6.2)',
    ],
    ['7', 'The metadata lists the contexts', 'publishes the ranked contexts (OIDC Discovery §3)'],
  ],
}

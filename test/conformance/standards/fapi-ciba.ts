import type { Standard } from './standard.ts'

/** The requirements of FAPI-CIBA for an authorization server. */
export const fapiCiba: Standard = {
  name: 'FAPI-CIBA',
  title: 'Financial-grade API: Client Initiated Backchannel Authentication Profile',
  address: 'https://openid.net/specs/openid-financial-api-ciba-ID1.html',
  requirements: [
    [
      '5.2.2',
      'Only confidential clients, which authenticate by a key or a certificate',
      'is refused with no assertion',
      'is refused with RS256',
      'is refused with the key of another client',
      'is refused with another audience',
    ],
    ['5.2.2', 'Access tokens are bound to a key', 'gets tokens that are bound by mtls, and no others'],
    [
      '5.2.2',
      'The user can recognize the request, by a message or by authorization details',
      'without a message or details (FAPI-CIBA §5.2.2)',
    ],
    [
      '5.2.2',
      'Requests are signed, valid for at most 60 minutes, and not older',
      'without a signature (FAPI-CIBA §5.2.2)',
      'whose nbf is 70 minutes ago (FAPI-CIBA §5.2.2)',
      'whose exp is in 70 minutes (FAPI-CIBA §5.2.2)',
      'when it is signed with the algorithm none (FAPI-CIBA §5.2.2, RFC 8725 §3.1)',
      'when it is signed by another client (FAPI-CIBA §5.2.2, RFC 8725 §3.1)',
    ],
    [
      '5.2.2',
      'A request belongs to its client, and gives tokens once',
      'does not get the tokens of another client, whose request stays usable',
      'is refused with an auth_req_id that was never issued, and after the tokens were fetched',
    ],
    [
      '5.2.2',
      'A notification is sent once to an endpoint that refuses it, and no redirect is followed',
      'times, and a redirect is not followed',
    ],
  ],
}

import { hostsTls, outside, type Standard } from './standard.ts'

const otherProfile = outside('the module is of the profile of a country, which the plain profile leaves out')

/**
 * The modules of the plan fapi-ciba-id1-test-plan of the OpenID conformance suite, in its order: poll and ping, clients that
 * authenticate with private_key_jwt or a certificate. Names are those of the classes, without `FAPICIBAID1`.
 */
export const fapiCibaPlan: Standard = {
  name: 'FAPI-CIBA plan',
  title: 'Modules of the plan fapi-ciba-id1-test-plan, each with our test of the same expectation',
  address: 'https://gitlab.com/openid/conformance-suite/-/tree/master/src/main/java/net/openid/conformance/fapiciba',
  requirements: [
    [
      'DiscoveryEndpointVerification',
      'The metadata has the endpoint, the grant type, the modes and the signing algorithms',
      'is published in discovery (CIBA Core 1.0 §4)',
      'lists only the mode poll, and refuses requests of clients that wait for notifications',
    ],
    ['BrazilDiscoveryEndpointVerification', 'The metadata of Open Finance Brazil', otherProfile],
    [
      'FAPICIBAID1',
      'A signed request leads to tokens that are bound to a key, in the mode poll and in the mode ping',
      'gets tokens that are bound by dpop, and no others',
      'is notified of an approval with its own token, and gets the tokens',
    ],
    [
      'UserRejectsAuthentication',
      'The client gets access_denied, and is notified in the mode ping',
      'is told that the user denied the request, and that it has expired',
      'is notified of a denial, once',
    ],
    [
      'MultipleCallToTokenEndpoint',
      'Polls that come too early are told to wait',
      'is told to slow down once if it comes too early, and is heard when it waits',
    ],
    [
      'AuthReqIdExpired',
      'The requested expiry counts, and the client gets expired_token after it',
      'is told that the user denied the request, and that it has expired',
    ],
    [
      'EnsureAuthorizationRequestWithBindingMessageSucceeds',
      'The user sees the message',
      'shows the client, the account, the binding message, the details and the place as text',
    ],
    [
      'EnsureOtherScopeOrderSucceeds',
      'The order of scope values does not matter',
      'may name its scope values in another order',
    ],
    [
      'EnsureRequestedExpiryAsStringSucceeds',
      'requested_expiry may be a string',
      'signs its request, whose expiry may be a number or a string (CIBA Core 1.0 §7.1.1)',
    ],
    [
      'EnsureAuthorizationRequestWithPotentiallyBadBindingMessage',
      'A message that is long and has unusual characters is shown as it is, or refused with invalid_binding_message',
      'keeps messages in any script, and caps the expiry',
      'is refused with a long message, stores nothing and asks nobody',
    ],
    ['EnsureRequestObjectMissingAudFails', 'invalid_request', 'without aud (CIBA Core 1.0 §7.1, §7.1.1)'],
    ['EnsureRequestObjectBadAudFails', 'invalid_request', 'for another audience (CIBA Core 1.0 §7.1, §7.1.1)'],
    ['EnsureRequestObjectMissingIssFails', 'invalid_request', 'without iss (CIBA Core 1.0 §7.1, §7.1.1)'],
    [
      'EnsureRequestObjectBadIssFails',
      'invalid_request',
      'with the issuer of another client (CIBA Core 1.0 §7.1, §7.1.1)',
    ],
    ['EnsureRequestObjectMissingExpFails', 'invalid_request', 'without exp (CIBA Core 1.0 §7.1, §7.1.1)'],
    ['EnsureRequestObjectExpiredExpFails', 'invalid_request', 'that has expired (FAPI-CIBA §5.2.2)'],
    [
      'EnsureRequestObjectExpIs70MinutesInFutureFails',
      'invalid_request',
      'whose exp is in 70 minutes (FAPI-CIBA §5.2.2)',
    ],
    ['EnsureRequestObjectMissingIatFails', 'invalid_request', 'without iat (CIBA Core 1.0 §7.1, §7.1.1)'],
    ['EnsureRequestObjectMissingNbfFails', 'invalid_request', 'without nbf (CIBA Core 1.0 §7.1, §7.1.1)'],
    [
      'EnsureRequestObjectNbfIs10MinutesInFutureFails',
      'invalid_request',
      'whose nbf is in ten minutes (FAPI-CIBA §5.2.2)',
    ],
    [
      'EnsureRequestObjectNbfIs70MinutesInPastFails',
      'invalid_request',
      'whose nbf is 70 minutes ago (FAPI-CIBA §5.2.2)',
    ],
    ['EnsureRequestObjectMissingJtiFails', 'invalid_request', 'without jti (CIBA Core 1.0 §7.1, §7.1.1)'],
    [
      'EnsureRequestObjectSignatureAlgorithmIsNoneFails',
      'invalid_request',
      'when it is signed with the algorithm none (FAPI-CIBA §5.2.2, RFC 8725 §3.1)',
    ],
    [
      'EnsureRequestObjectSignatureAlgorithmIsBadFails',
      'invalid_request for a signature that is altered',
      'when it is signed with a signature of zeros (FAPI-CIBA §5.2.2, RFC 8725 §3.1)',
    ],
    [
      'EnsureRequestObjectSignatureAlgorithmIsRS256Fails',
      'invalid_request',
      'when it is signed with RS256 (FAPI-CIBA §5.2.2, RFC 8725 §3.1)',
    ],
    [
      'EnsureRequestObjectSignedByOtherClientFails',
      'invalid_request for the key of another client',
      'when it is signed by another client (FAPI-CIBA §5.2.2, RFC 8725 §3.1)',
    ],
    [
      'EnsureAuthorizationRequestWithMultipleHintsFails',
      'invalid_request',
      'with two hints (CIBA Core 1.0 §7.1, §7.1.1)',
    ],
    [
      'EnsureWrongAuthenticationRequestIdInTokenEndpointRequest',
      'invalid_grant',
      'is refused with an auth_req_id that was never issued, and after the tokens were fetched',
    ],
    [
      'EnsureDifferentClientIdAndIssuerInBackchannelAuthorizationRequest',
      'invalid_client, with status 401, for the client_id of another client beside the certificate',
      'authenticates with its certificate, and is refused with the client_id of another client (RFC 8705 §2)',
    ],
    [
      'EnsureWrongClientIdInTokenEndpointRequest',
      'invalid_client for the client_id of another client beside the certificate',
      'authenticates with its certificate, and is refused with the client_id of another client (RFC 8705 §2)',
    ],
    [
      'EnsureWrongClientIdInBackchannelAuthorizationRequest',
      'invalid_client for the client_id of another client',
      'authenticates with its certificate, and is refused with the client_id of another client (RFC 8705 §2)',
      'when its client_id is that of another client (RFC 7523 §3)',
    ],
    ['EnsureWithoutClientAssertionInTokenEndpointFails', 'invalid_client', 'is refused with no assertion'],
    [
      'EnsureWithoutClientAssertionInBackchannelAuthorizationRequestFails',
      'invalid_client',
      'is refused with no assertion',
    ],
    [
      'EnsureClientAssertionSignatureAlgorithmInBackchannelAuthorizationRequestIsRS256Fails',
      'invalid_client',
      'is refused with RS256',
    ],
    [
      'EnsureClientAssertionSignatureAlgorithmInTokenEndpointRequestIsRS256Fails',
      'invalid_client',
      'is refused with RS256',
    ],
    [
      'EnsureClientAssertionWithIssAudToTokenEndpointSucceeds',
      'The issuer may be the audience of the assertion',
      'is accepted with the issuer as audience',
    ],
    [
      'PingNotificationEndpointReturnsABody',
      'The body of the answer is ignored, and the client gets its tokens',
      'gets its tokens although it answers … with the body "…" (CIBA Core 1.0 §10.2)',
    ],
    [
      'PingNotificationEndpointReturns401',
      'The client gets its tokens',
      'gets its tokens although it answers … with the body "…" (CIBA Core 1.0 §10.2)',
    ],
    [
      'PingNotificationEndpointReturns403',
      'The client gets its tokens',
      'gets its tokens although it answers … with the body "…" (CIBA Core 1.0 §10.2)',
    ],
    [
      'PingNotificationEndpointReturns401AndRequireServerDoesNotRetry',
      'The notification is not repeated',
      'times, and a redirect is not followed',
    ],
    [
      'PingNotificationEndpointReturnsRedirectRequest',
      'The redirect is not followed',
      'times, and a redirect is not followed',
    ],
    [
      'EnsureBackchannelAuthorizationRequestWithoutRequestFails',
      'invalid_request for parameters that are not signed',
      'without a signature (FAPI-CIBA §5.2.2)',
    ],
    [
      'RefreshToken',
      'Refresh tokens work, for their own client only',
      'refreshes its tokens, which another client cannot (RFC 6749 §6, §10.4)',
    ],
    [
      'EnsureMTLSHolderOfKeyRequired',
      'No tokens without the certificate; endpoints accept only secure TLS versions and ciphers',
      'gets tokens that are bound by mtls, and no others',
      hostsTls,
    ],
  ],
}

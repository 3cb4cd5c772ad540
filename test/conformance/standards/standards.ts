import { clientIdMetadataDocument, globalTokenRevocation, idJag } from './drafts.ts'
import { fapiCibaPlan } from './fapi-ciba-plan.ts'
import { fapiCiba } from './fapi-ciba.ts'
import { fapiMessageSigning, fapiSecurityProfile } from './fapi-2.ts'
import { formPostResponseMode } from './form-post-response-mode.ts'
import { ipsieOpenid, ipsieScim } from './ipsie.ts'
import { jarm } from './jarm.ts'
import { openidCiba } from './openid-ciba.ts'
import { openidConnectCore } from './openid-connect-core.ts'
import { openidConnectDiscovery } from './openid-connect-discovery.ts'
import { backChannelLogout, frontChannelLogout, rpInitiatedLogout } from './openid-connect-logout.ts'
import { caep, sharedSignals } from './openid-shared-signals.ts'
import { rfc6749 } from './rfc-6749.ts'
import { rfc6750 } from './rfc-6750.ts'
import { rfc7009 } from './rfc-7009.ts'
import { rfc7515 } from './rfc-7515.ts'
import { rfc7519 } from './rfc-7519.ts'
import { rfc7523 } from './rfc-7523.ts'
import { rfc7591 } from './rfc-7591.ts'
import { rfc7592 } from './rfc-7592.ts'
import { rfc7636 } from './rfc-7636.ts'
import { rfc7643 } from './rfc-7643.ts'
import { rfc7644 } from './rfc-7644.ts'
import { rfc7662 } from './rfc-7662.ts'
import { rfc8252 } from './rfc-8252.ts'
import { rfc8414 } from './rfc-8414.ts'
import { rfc8628 } from './rfc-8628.ts'
import { rfc8693 } from './rfc-8693.ts'
import { rfc8705 } from './rfc-8705.ts'
import { rfc8707 } from './rfc-8707.ts'
import { rfc9068 } from './rfc-9068.ts'
import { rfc9101 } from './rfc-9101.ts'
import { rfc9126 } from './rfc-9126.ts'
import { rfc9207 } from './rfc-9207.ts'
import { rfc9396 } from './rfc-9396.ts'
import { rfc9449 } from './rfc-9449.ts'
import { rfc9470 } from './rfc-9470.ts'
import { rfc9700 } from './rfc-9700.ts'
import { rfc9701 } from './rfc-9701.ts'
import { rfc9728 } from './rfc-9728.ts'
import { rfc9865 } from './rfc-9865.ts'
import { rfc8417, rfc8935, rfc8936, rfc9967 } from './security-events.ts'
import { ssfTransmitterPlans } from './ssf-transmitter-plans.ts'
import type { Standard } from './standard.ts'

/** Every standard in scope, in the order of the page. */
export const standards: readonly Standard[] = [
  rfc6749,
  rfc6750,
  rfc7009,
  rfc7591,
  rfc7592,
  rfc7636,
  rfc7662,
  rfc8252,
  rfc8414,
  rfc8628,
  rfc8693,
  rfc8705,
  rfc8707,
  rfc9068,
  rfc9101,
  rfc9126,
  rfc9207,
  rfc9396,
  rfc9449,
  rfc9470,
  rfc9700,
  rfc9701,
  rfc9728,
  rfc7515,
  rfc7519,
  rfc7523,
  openidConnectCore,
  openidConnectDiscovery,
  formPostResponseMode,
  jarm,
  fapiSecurityProfile,
  fapiMessageSigning,
  openidCiba,
  fapiCiba,
  fapiCibaPlan,
  rpInitiatedLogout,
  backChannelLogout,
  frontChannelLogout,
  rfc8417,
  rfc8935,
  rfc8936,
  sharedSignals,
  caep,
  ssfTransmitterPlans,
  rfc7643,
  rfc7644,
  rfc9865,
  rfc9967,
  ipsieOpenid,
  ipsieScim,
  clientIdMetadataDocument,
  idJag,
  globalTokenRevocation,
]

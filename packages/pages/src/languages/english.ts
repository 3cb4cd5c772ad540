import type { Messages, StandardScope } from './messages.ts'

export const english: Messages = {
  lang: 'en',
  dir: 'ltr',
  unnamedClient: 'An app without a name',
  consent: {
    title: 'Allow access?',
    heading: '{client} wants to use your account',
    unverified: 'It calls itself {client}. Nobody has verified this name; only {host} is certain.',
    deviceWarning:
      'Any program on this device could use this name. Allow it only if you have just started it yourself.',
    signedInAs: 'Signed in as {account}',
    scopesLegend: 'It asks for this:',
    detailsLegend: 'It asks you to approve this:',
    organizationsLegend: 'For which organization?',
    alwaysIncluded: 'Always part of signing in',
    grantedBefore: 'You allowed this before',
    resources: 'This is for {names}',
    destination: {
      website: 'Either way, you continue to {name}',
      device: 'Either way, you continue to a program on this device ({name})',
      app: 'Either way, you continue to the app on this device identified as {name}',
    },
    otherDevice: 'Either way, the answer goes to the device that shows the code',
    links: {
      legend: 'Pages of this app:',
      website: 'Website',
      policy: 'Privacy policy',
      terms: 'Terms of service',
    },
    deny: 'Deny',
    allow: 'Allow',
    // The server's own sentences are English.
    scopes: {},
  },
  signIn: {
    title: 'Sign in',
    toContinue: 'to continue to {client}',
    username: 'Email or username',
    usernameHints: {
      directory: 'If your organization manages your account, enter its directory first: directory/name',
    },
    password: 'Password',
    submit: 'Sign in',
    cancel: 'Cancel',
    forgotPassword: 'Forgot your password?',
    createAccount: 'Create an account',
    errorTitle: 'You are not signed in',
    errors: {
      rejected: 'No account matches this name and password. Check both and try again.',
      incomplete: 'Fill in both fields and try again.',
      throttled: 'There were too many attempts. Wait a few minutes and try again.',
    },
  },
  selectAccount: {
    title: 'Choose an account',
    continueAs: 'Continue as {account}',
    another: 'Use another account',
  },
  error: {
    title: 'This did not work',
    advice: 'Go back to the app that you came from and start again. If that does not help, tell the people who run it.',
    codeLabel: 'Error code',
    referenceLabel: 'Reference',
  },
  device: {
    enterTitle: 'Connect a device',
    enterText: 'Enter the code that your device shows.',
    code: 'Code',
    submit: 'Continue',
    problems: {
      unknown: 'No device shows this code now. Check the code, or start again on your device.',
      throttled: 'There were too many wrong codes. Wait ten minutes and try again.',
    },
    confirmTitle: 'Is this your device?',
    confirmText: '{client} wants to use your account on a device that shows this code:',
    warning:
      'Continue only if the device is in front of you and you started the sign-in yourself. If somebody sent you this code or this link, stop.',
    askedFrom: 'The request came from {place}',
    scopesLegend: 'The device asks to',
    stop: 'No, stop',
    goOn: 'Yes, continue',
    approved: { title: 'Device connected', text: '{client} is now signed in on your device. You can close this page.' },
    denied: { title: 'Nothing was connected', text: '{client} did not get access. You can close this page.' },
  },
  logout: {
    title: 'Sign out?',
    askedBy: '{client} asks you to sign out',
    signedInAs: 'Signed in as {account}',
    signOut: 'Sign out',
    stay: 'Stay signed in',
  },
  signedOut: {
    title: 'You are signed out',
    text: 'You can close this window.',
    goOn: 'Continue',
  },
  stillSignedIn: {
    title: 'You are still signed in',
    text: 'You can close this window.',
  },
  account: {
    title: 'Your account',
    appsHeading: 'Connected apps',
    noApps: 'No app has access to your account.',
    appSince: 'Connected on {date}',
    disconnect: 'Disconnect',
    sessionsHeading: 'Where you are signed in',
    thisBrowser: 'This browser',
    unknownBrowser: 'Unknown browser',
    sessionTimes: 'Signed in on {since}, last used on {used}',
    sessionApps: 'Signed in to {names}',
    endSession: 'Sign out',
    endOthers: 'Sign out everywhere else',
  },
}

/** The server's descriptions of scopes, for pages that know only the scope values. */
export const standardScopes: Readonly<Record<StandardScope, string>> = {
  openid: 'Know who you are',
  profile: 'See your name and profile',
  email: 'See your e-mail address',
  address: 'See your postal address',
  phone: 'See your phone number',
  offline_access: 'Stay connected while you are away',
  organization: 'Know which organization you are signed in to',
}

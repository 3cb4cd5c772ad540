import type { Messages, StandardScope } from './messages.ts'

export const japanese: Messages = {
  lang: 'ja',
  dir: 'ltr',
  unnamedClient: '名前のないアプリ',
  consent: {
    title: 'アクセスを許可しますか?',
    heading: '{client} があなたのアカウントの使用を求めています',
    unverified: 'このアプリは {client} と名乗っています。この名前は確認されていません。確かなのは {host} だけです。',
    deviceWarning:
      'このデバイス上のどのプログラムでも、この名前を名乗ることができます。ご自身で起動した直後の場合にのみ許可してください。',
    signedInAs: '{account} としてサインインしています',
    scopesLegend: '求められているアクセス:',
    detailsLegend: '承認の対象:',
    organizationsLegend: 'どの組織で使用しますか?',
    alwaysIncluded: 'サインインに必ず含まれます',
    grantedBefore: '以前に許可した項目です',
    resources: 'アクセス先: {names}',
    destination: {
      website: 'どちらを選んでも、{name} に移動します',
      device: 'どちらを選んでも、このデバイス上のプログラム ({name}) に移動します',
      app: 'どちらを選んでも、このデバイス上のアプリ ({name}) に移動します',
    },
    deny: '拒否',
    allow: '許可',
    scopes: {
      openid: 'あなたが誰であるかの確認',
      profile: '名前とプロフィールの表示',
      email: 'メールアドレスの表示',
      address: '住所の表示',
      phone: '電話番号の表示',
      offline_access: 'あなたが使用していない間のアクセスの継続',
      organization: 'サインインしている組織の確認',
    } satisfies Readonly<Record<StandardScope, string>>,
  },
  signIn: {
    title: 'サインイン',
    toContinue: '{client} に進みます',
    username: 'メールアドレスまたはユーザー名',
    usernameHints: {
      directory:
        'アカウントが組織によって管理されている場合は、先にディレクトリ名を入力してください: ディレクトリ名/ユーザー名',
    },
    password: 'パスワード',
    submit: 'サインイン',
    errorTitle: 'サインインできませんでした',
    errors: {
      rejected: '名前とパスワードに一致するアカウントがありません。両方を確認して、もう一度お試しください。',
      incomplete: '両方の欄に入力して、もう一度お試しください。',
      throttled: '試行回数が多すぎます。数分待ってから、もう一度お試しください。',
    },
  },
  error: {
    title: 'エラーが発生しました',
    advice: '元のアプリに戻り、最初からやり直してください。解決しない場合は、アプリの運営者にお問い合わせください。',
    codeLabel: 'エラーコード',
  },
  logout: {
    title: 'サインアウトしますか?',
    askedBy: '{client} がサインアウトを求めています',
    signedInAs: '{account} としてサインインしています',
    signOut: 'サインアウト',
    stay: 'サインインしたままにする',
  },
  signedOut: {
    title: 'サインアウトしました',
    text: 'このウィンドウを閉じてかまいません。',
    goOn: '続ける',
  },
  stillSignedIn: {
    title: 'サインインしたままです',
    text: 'このウィンドウを閉じてかまいません。',
  },
  account: {
    title: 'アカウント',
    appsHeading: '連携中のアプリ',
    noApps: 'アカウントにアクセスできるアプリはありません。',
    appSince: '連携日: {date}',
    disconnect: '連携を解除',
    sessionsHeading: 'サインイン中のブラウザー',
    thisBrowser: 'このブラウザー',
    unknownBrowser: '不明なブラウザー',
    sessionTimes: 'サインイン: {since}、最終使用: {used}',
    sessionApps: 'サインイン先: {names}',
    endSession: 'サインアウト',
    endOthers: 'ほかのすべてのブラウザーからサインアウト',
  },
}

// A web application with x/oauth2 and go-oidc, as their documentation shows it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

var input = bufio.NewReader(os.Stdin)

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	report("reads discovery", err)
	config := oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  os.Getenv("REDIRECT_URI"),
		Scopes:       []string{oidc.ScopeOpenID, "profile", oidc.ScopeOfflineAccess, "groups"},
	}

	verifier := oauth2.GenerateVerifier()
	_, err = signIn(ctx, provider, config, []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)},
		oauth2.VerifierOption(verifier))
	report("signs a user in with PKCE", err)

	token, err := signIn(ctx, provider, config, nil)
	report("signs a user in without PKCE; the ID token's signature, nonce and at_hash are valid", err)

	var claims struct {
		Groups []string `json:"groups"`
	}
	raw, _ := token.Extra("id_token").(string)
	idToken, err := provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(ctx, raw)
	if err == nil {
		err = idToken.Claims(&claims)
	}
	if err == nil {
		err = expect("groups", fmt.Sprint(claims.Groups), "[platform-admins]")
	}
	report("reads the groups of the user from the ID token", err)

	info, err := provider.UserInfo(ctx, config.TokenSource(ctx, token))
	if err == nil {
		err = expect("subject", info.Subject, "U1")
	}
	report("calls userinfo", err)

	renewed, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
	if err == nil && renewed.RefreshToken == token.RefreshToken {
		err = fmt.Errorf("the refresh token did not change")
	}
	report("refreshes and gets a new refresh token", err)

	machine := clientcredentials.Config{
		ClientID:     os.Getenv("MACHINE_ID"),
		ClientSecret: os.Getenv("MACHINE_SECRET"),
		TokenURL:     provider.Endpoint().TokenURL,
		Scopes:       []string{"api.read"},
	}
	machineToken, err := machine.Token(ctx)
	if err == nil {
		err = expect("token type", machineToken.Type(), "Bearer")
	}
	report("gets a token with client credentials", err)

	television := oauth2.Config{
		ClientID: os.Getenv("DEVICE_CLIENT_ID"),
		Endpoint: provider.Endpoint(),
		Scopes:   []string{oidc.ScopeOpenID, "profile"},
	}
	codes, err := television.DeviceAuth(ctx)
	if err == nil {
		visit(codes.VerificationURIComplete)
		token, err = television.DeviceAccessToken(ctx, codes)
	}
	if err == nil {
		raw, _ = token.Extra("id_token").(string)
		idToken, err = provider.Verifier(&oidc.Config{ClientID: television.ClientID}).Verify(ctx, raw)
	}
	if err == nil {
		err = expect("subject", idToken.Subject, "U1")
	}
	report("signs a user in who confirms a code on another device", err)
}

func signIn(ctx context.Context, provider *oidc.Provider, config oauth2.Config, request []oauth2.AuthCodeOption,
	exchange ...oauth2.AuthCodeOption) (*oauth2.Token, error) {
	callback := visit(config.AuthCodeURL("state-1", append(request, oidc.Nonce("nonce-1"))...)).Query()
	if err := expect("state", callback.Get("state"), "state-1"); err != nil {
		return nil, err
	}
	if callback.Has("error") {
		return nil, fmt.Errorf("%s: %s", callback.Get("error"), callback.Get("error_description"))
	}
	token, err := config.Exchange(ctx, callback.Get("code"), exchange...)
	if err != nil {
		return nil, err
	}
	raw, _ := token.Extra("id_token").(string)
	idToken, err := provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	if err := idToken.VerifyAccessToken(token.AccessToken); err != nil {
		return nil, err
	}
	if err := expect("subject", idToken.Subject, "U1"); err != nil {
		return nil, err
	}
	return token, expect("nonce", idToken.Nonce, "nonce-1")
}

// Opens an address in the runner's browser and returns the address of the last page.
func visit(address string) *url.URL {
	fmt.Println("visit " + address)
	line, _ := input.ReadBytes('\n')
	var page struct{ URL string }
	if err := json.Unmarshal(line, &page); err != nil {
		panic(err)
	}
	last, _ := url.Parse(page.URL)
	return last
}

func expect(name, actual, expected string) error {
	if actual == expected {
		return nil
	}
	return fmt.Errorf("%s is %q instead of %q", name, actual, expected)
}

// Reports a check. A failure ends the program, because the checks that follow need the result.
func report(title string, err error) {
	if err != nil {
		fmt.Printf("failed %s: %v\n", title, err)
		os.Exit(0)
	}
	fmt.Println("passed " + title)
}

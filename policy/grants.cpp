#include "policy/grants.h"

#include <algorithm>
#include <array>

namespace rb::policy {

std::span<const CredentialSet> credential_sets() {
  static const std::vector<CredentialSet> sets = {
      {"aws",
       {".aws"},
       {"AWS_ACCESS_KEY_ID", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_REGION", "AWS_ROLE_ARN",
        "AWS_ROLE_SESSION_NAME", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"},
       {{"AWS_CONFIG_FILE"}, {"AWS_SHARED_CREDENTIALS_FILE"}, {"AWS_WEB_IDENTITY_TOKEN_FILE"}},
       ""},
      {"docker-config", {".docker/config.json"}, {}, {{"DOCKER_CONFIG", "/config.json"}}, ""},
      {"gcloud",
       {".config/gcloud"},
       {"CLOUDSDK_ACTIVE_CONFIG_NAME", "CLOUDSDK_CORE_PROJECT", "GOOGLE_CLOUD_PROJECT"},
       {{"CLOUDSDK_CONFIG"}, {"GOOGLE_APPLICATION_CREDENTIALS"}},
       ""},
      {"gh",
       {".config/gh"},
       {"GH_ENTERPRISE_TOKEN", "GH_HOST", "GH_TOKEN", "GITHUB_TOKEN"},
       {{"GH_CONFIG_DIR"}},
       ""},
      {"git", {".gitconfig", ".config/git", ".git-credentials"}, {}, {}, ""},
      {"kube", {".kube"}, {}, {{"KUBECONFIG", "", true}}, ""},
      {"netrc", {".netrc"}, {}, {{"NETRC"}}, ""},
      {"npm",
       {".npmrc"},
       {"NODE_AUTH_TOKEN", "NPM_TOKEN"},
       {{"NPM_CONFIG_USERCONFIG"}, {"npm_config_userconfig"}},
       ""},
      {"pip",
       {".config/pip", ".pip", ".pypirc"},
       {"PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL", "TWINE_PASSWORD", "TWINE_USERNAME"},
       {{"PIP_CONFIG_FILE"}},
       ""},
      {"postgres",
       {".pgpass", ".pg_service.conf", ".postgresql"},
       {"PGDATABASE", "PGHOST", "PGHOSTADDR", "PGPASSWORD", "PGPORT", "PGSERVICE", "PGSSLMODE",
        "PGUSER"},
       {{"PGPASSFILE"}, {"PGSERVICEFILE"}, {"PGSSLCERT"}, {"PGSSLKEY"}, {"PGSSLROOTCERT"}},
       ""},
      {"ssh-agent", {".ssh/config", ".ssh/known_hosts"}, {}, {}, "SSH_AUTH_SOCK"},
  };
  return sets;
}

const CredentialSet& certificates() {
  static const CredentialSet set = {"certificates",
                                    {},
                                    {},
                                    {{"SSL_CERT_FILE"},
                                     {"SSL_CERT_DIR", "", true},
                                     {"CURL_CA_BUNDLE"},
                                     {"NODE_EXTRA_CA_CERTS"},
                                     {"REQUESTS_CA_BUNDLE"}},
                                    ""};
  return set;
}

const CredentialSet* find_credential_set(std::string_view name) {
  const auto sets = credential_sets();
  const auto found = std::find_if(sets.begin(), sets.end(),
                                  [&](const CredentialSet& set) { return set.name == name; });
  return found == sets.end() ? nullptr : &*found;
}

bool equals_host(std::string_view socket) {
  constexpr std::array<std::string_view, 18> kNames = {
      "docker",  "podman",    "containerd", "/crio",   "libvirt",  "/lxd/",
      "/incus/", "/buildkit", "snapd",      "systemd", "/dbus/",   "/X11",
      ".X11-",   "wayland",   "/tmux-",     "/screen", "pipewire", "/at-spi"};
  return socket.ends_with("/bus") ||
         std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
           return socket.find(name) != std::string_view::npos;
         });
}

}  // namespace rb::policy

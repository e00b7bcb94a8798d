#include "policy/grants.h"

#include <algorithm>

namespace rb::policy {

std::span<const CredentialSet> credential_sets() {
  static const std::vector<CredentialSet> sets = {
      {"aws",
       {".aws"},
       {"AWS_ACCESS_KEY_ID", "AWS_CONFIG_FILE", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_REGION",
        "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_SHARED_CREDENTIALS_FILE"},
       ""},
      {"docker-config", {".docker/config.json"}, {"DOCKER_CONFIG"}, ""},
      {"gcloud",
       {".config/gcloud"},
       {"CLOUDSDK_ACTIVE_CONFIG_NAME", "CLOUDSDK_CONFIG", "CLOUDSDK_CORE_PROJECT",
        "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT"},
       ""},
      {"gh", {".config/gh"}, {"GH_HOST", "GH_TOKEN", "GITHUB_TOKEN"}, ""},
      {"kube", {".kube"}, {"KUBECONFIG"}, ""},
      {"ssh-agent", {".ssh/config", ".ssh/known_hosts"}, {}, "SSH_AUTH_SOCK"},
  };
  return sets;
}

const CredentialSet* find_credential_set(std::string_view name) {
  const auto sets = credential_sets();
  const auto found = std::find_if(sets.begin(), sets.end(),
                                  [&](const CredentialSet& set) { return set.name == name; });
  return found == sets.end() ? nullptr : &*found;
}

}  // namespace rb::policy

# What a project's hack/update-codegen.sh does: upstream's functions, on one API directory and one client tree.
# Usage: bash flow.sh CODE_GENERATOR BOILERPLATE API_DIR CLIENT_DIR CLIENT_PACKAGE FLAG...
set -o errexit -o nounset -o pipefail

generators=$1 boilerplate=$2 apis=$3 clients=$4 package=$5
shift 5
source "$generators/kube_codegen.sh"

kube::codegen::gen_helpers --boilerplate "$boilerplate" "$apis"
kube::codegen::gen_client --boilerplate "$boilerplate" --output-dir "$clients" --output-pkg "$package" "$@" "$apis"

#!/bin/sh
# Renders the overlays into k8s/rendered, for people to read and a test to check. Needs kubectl.
set -eu
cd "$(dirname "$0")"
sources=$(find base components overlays -type f | LC_ALL=C sort | xargs cat | sha256sum | cut -d' ' -f1)
for overlay in overlays/*; do
  { echo "# Made by k8s/render.sh from sources $sources"; kubectl kustomize "$overlay"; } > "rendered/$(basename "$overlay").yaml"
done
